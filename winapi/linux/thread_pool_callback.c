/* SPDX-License-Identifier: MIT
 *
 * thread_pool_callback.c - one callback of the thread pool, and the calls that it may make about
 * itself.
 */
#include "winapi/linux/thread_pool.h"

struct _TP_CALLBACK_INSTANCE {
    struct pool_call *call;
    /* The callback's wishes for the time after its return; NULL: none. */
    CRITICAL_SECTION *section;
    HANDLE mutex, semaphore, event;
    DWORD releases;
    HMODULE module;
};

/* Releases locks first: a thread that waits for the event may need them. */
static void callback_returned(const TP_CALLBACK_INSTANCE *instance)
{
    if (instance->section)
        LeaveCriticalSection(instance->section);
    if (instance->mutex)
        ReleaseMutex(instance->mutex);
    if (instance->semaphore)
        ReleaseSemaphore(instance->semaphore, (LONG)instance->releases, NULL);
    if (instance->event)
        SetEvent(instance->event);
    if (instance->module)
        FreeLibrary(instance->module);
}

void win__tp_call(struct pool_item *item, struct pool_call *call, tp_callback *fn)
{
    struct tp_object *object = (struct tp_object *)item;
    TP_CALLBACK_INSTANCE instance = {.call = call};
    if (object->runs_long)
        pool_call_runs_long(call);
    fn(object, &instance, call);
    callback_returned(&instance);
}

BOOL WINAPI CallbackMayRunLong(PTP_CALLBACK_INSTANCE pci)
{
    return pool_call_runs_long(pci->call);
}

VOID WINAPI DisassociateCurrentThreadFromCallback(PTP_CALLBACK_INSTANCE pci)
{
    pool_call_dissociate(pci->call);
}

VOID WINAPI SetEventWhenCallbackReturns(PTP_CALLBACK_INSTANCE pci, HANDLE evt)
{
    pci->event = evt;
}

VOID WINAPI ReleaseSemaphoreWhenCallbackReturns(PTP_CALLBACK_INSTANCE pci, HANDLE sem, DWORD crel)
{
    pci->semaphore = sem;
    pci->releases = crel;
}

VOID WINAPI ReleaseMutexWhenCallbackReturns(PTP_CALLBACK_INSTANCE pci, HANDLE mut)
{
    pci->mutex = mut;
}

VOID WINAPI LeaveCriticalSectionWhenCallbackReturns(PTP_CALLBACK_INSTANCE pci,
                                                    RTL_CRITICAL_SECTION *pcs)
{
    pci->section = pcs;
}

VOID WINAPI FreeLibraryWhenCallbackReturns(PTP_CALLBACK_INSTANCE pci, HMODULE mod)
{
    pci->module = mod;
}
