/* SPDX-License-Identifier: MIT
 *
 * thread.c - creates, ends and describes threads, also workers.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/linux/dispatch/apc.h"
#include "umsshim/core.h"
#include "winapi/linux/attribute_list.h"
#include "winapi/linux/child_process.h"
#include "winapi/linux/stack.h"
#include "winapi/linux/surface.h"

/* APCs that were queued before the thread began run first. */
static DWORD WINAPI begin(LPVOID thread)
{
    apcs_run();
    return ((struct plat_thread *)thread)->begin.start(((struct plat_thread *)thread)->begin.param);
}

HANDLE WINAPI CreateRemoteThreadEx(HANDLE hProcess, LPSECURITY_ATTRIBUTES lpThreadAttributes,
                                   SIZE_T dwStackSize, LPTHREAD_START_ROUTINE lpStartAddress,
                                   LPVOID lpParameter, DWORD dwCreationFlags,
                                   LPPROC_THREAD_ATTRIBUTE_LIST lpAttributeList, LPDWORD lpThreadId)
{
    (void)lpThreadAttributes;
    UMS_CREATE_THREAD_ATTRIBUTES ums;
    bool worker = win__ums_attribute(lpAttributeList, &ums);
    bool suspended = dwCreationFlags & CREATE_SUSPENDED;
    int error = worker ? ums__init() : 0;
    void *handle = NULL;
    struct plat_thread *thread = NULL;

    if (!error && !win__this_process(hProcess))
        error = worker ? ERROR_NOT_SUPPORTED : ERROR_INVALID_HANDLE;
    if (!error && (!lpStartAddress || (worker && ums.UmsVersion != UMS_VERSION)))
        error = ERROR_INVALID_PARAMETER;
    if (error)
        goto out;
    thread = thread_create_object();
    if (!thread || handle_create(&thread->object, &handle)) {
        error = ERROR_NOT_ENOUGH_MEMORY;
        goto out;
    }
    thread->begin.start = (uint32_t(*)(void *))lpStartAddress;
    thread->begin.param = lpParameter;
    error =
        worker ? ums__worker_create(ums.UmsContext, ums.UmsCompletionList,
                                    win__stack_bytes(dwStackSize), suspended, thread, begin, thread)
               : thread_start(thread, win__stack_bytes(dwStackSize), suspended);
    if (!error && lpThreadId)
        *lpThreadId = (DWORD)thread->tid;
out:
    if (error) {
        if (handle)
            handle_close(handle);
        handle = NULL;
        win__fail((DWORD)error);
    }
    if (thread)
        object_drop(&thread->object);
    return handle;
}

HANDLE WINAPI CreateThread(LPSECURITY_ATTRIBUTES lpThreadAttributes, SIZE_T dwStackSize,
                           LPTHREAD_START_ROUTINE lpStartAddress, LPVOID lpParameter,
                           DWORD dwCreationFlags, LPDWORD lpThreadId)
{
    return CreateRemoteThreadEx(GetCurrentProcess(), lpThreadAttributes, dwStackSize,
                                lpStartAddress, lpParameter, dwCreationFlags, NULL, lpThreadId);
}

VOID WINAPI ExitThread(DWORD dwExitCode)
{
    struct plat_context *self = plat_current();
    struct ums_context *worker = ums__current_worker();
    struct plat_thread *thread = thread_current();
    if (thread)
        thread->exit_code = dwExitCode;
    if (worker)
        ums__worker_exit(worker);
    if (self && self->is_scheduler)
        plat_scheduler_leave(self, true);
    thread_exit(dwExitCode);
}

/* The handle of a child's first thread is the child's (child_process.h). */
BOOL WINAPI GetExitCodeThread(HANDLE hThread, LPDWORD lpExitCode)
{
    struct child_process *child = child_of(hThread);
    if (child) {
        if (lpExitCode)
            *lpExitCode = child_code(child);
        object_drop(&child->object);
        return lpExitCode ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
    }
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    BOOL ok = lpExitCode != NULL;
    if (ok)
        *lpExitCode = thread_has_ended(thread) ? thread->exit_code : STILL_ACTIVE;
    object_drop(&thread->object);
    return ok ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

DWORD WINAPI GetCurrentThreadId(VOID)
{
    return (DWORD)thread_current_id();
}

DWORD WINAPI GetThreadId(HANDLE Thread)
{
    struct child_process *child = child_of(Thread);
    if (child) {
        DWORD pid = (DWORD)child->pid;
        object_drop(&child->object);
        return pid;
    }
    struct plat_thread *thread = win__thread(Thread);
    if (!thread)
        return 0;
    DWORD id = (DWORD)thread->tid;
    object_drop(&thread->object);
    return id;
}

DWORD WINAPI GetCurrentProcessId(VOID)
{
    return (DWORD)getpid();
}

VOID WINAPI ExitProcess(DWORD dwExitCode)
{
    exit((int)dwExitCode);
}

/* ---- Advice to the system's scheduler ------------------------------------------------------ */

DWORD_PTR WINAPI SetThreadAffinityMask(HANDLE hThread, DWORD_PTR dwThreadAffinityMask)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return 0;
    cpu_set_t old, new;
    CPU_ZERO(&old);
    CPU_ZERO(&new);
    DWORD_PTR before = 0;
    for (int cpu = 0; cpu < 64; cpu++)
        if (dwThreadAffinityMask >> cpu & 1)
            CPU_SET(cpu, &new);
    if (thread_get_affinity(thread, &old) == 0 && thread_set_affinity(thread, &new) == 0)
        for (int cpu = 0; cpu < 64; cpu++)
            if (CPU_ISSET(cpu, &old))
                before |= (DWORD_PTR)1 << cpu;
    object_drop(&thread->object);
    if (!before)
        win__fail(ERROR_INVALID_PARAMETER);
    return before;
}

BOOL WINAPI SetThreadPriority(HANDLE hThread, INT nPriority)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    bool known = (nPriority >= THREAD_PRIORITY_LOWEST && nPriority <= THREAD_PRIORITY_HIGHEST) ||
                 nPriority == THREAD_PRIORITY_IDLE || nPriority == THREAD_PRIORITY_TIME_CRITICAL;
    if (known)
        thread_set_priority(thread, nPriority);
    object_drop(&thread->object);
    return known ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

INT WINAPI GetThreadPriority(HANDLE hThread)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return THREAD_PRIORITY_ERROR_RETURN;
    INT priority = thread->priority;
    object_drop(&thread->object);
    return priority;
}

DWORD WINAPI GetCurrentProcessorNumber(VOID)
{
    int cpu = sched_getcpu();
    return cpu < 0 ? 0 : (DWORD)cpu;
}
