/* SPDX-License-Identifier: MIT
 *
 * thread.c - CreateRemoteThreadEx: makes workers; the system makes all other threads.
 */
#include "platform/windows/worker.h"
#include "winapi/windows/surface.h"

/* Keeps the DLL loaded, as a worker's first frames return into it. Takes the loader's lock, so only
 * the first call does it. */
static void stay(void)
{
    static _Atomic bool stays;
    HMODULE module;
    if (atomic_load_explicit(&stays, memory_order_relaxed))
        return;
    if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                           (LPCWSTR)(void *)stay, &module))
        atomic_store_explicit(&stays, true, memory_order_relaxed);
}

/* For the usual pseudo-handle the system need not be asked. */
static bool is_this_process(HANDLE process)
{
    return process == GetCurrentProcess() || GetProcessId(process) == GetCurrentProcessId();
}

HANDLE WINAPI umsshim_CreateRemoteThreadEx(HANDLE process, LPSECURITY_ATTRIBUTES security,
                                           SIZE_T stack, LPTHREAD_START_ROUTINE start, LPVOID param,
                                           DWORD flags, LPPROC_THREAD_ATTRIBUTE_LIST list,
                                           LPDWORD id)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums;
    if (!win__ums_attribute(list, &ums))
        return CreateRemoteThreadEx(process, security, stack, start, param, flags, list, id);

    struct plat_thread thread = {.security = security, .flags = flags, .attributes = list};
    int error = ums__init();
    if (!error && !is_this_process(process))
        error = ERROR_NOT_SUPPORTED;
    if (!error && (!start || ums.UmsVersion != UMS_VERSION))
        error = ERROR_INVALID_PARAMETER;
    if (!error)
        stay();
    if (!error)
        error = ums__worker_create(ums.UmsContext, ums.UmsCompletionList, stack,
                                   flags & CREATE_SUSPENDED, &thread, start, param);
    if (error) {
        ums__fail((uint32_t)error);
        return NULL;
    }
    if (id)
        *id = thread.id;
    return thread.handle;
}
