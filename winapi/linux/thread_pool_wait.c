/* SPDX-License-Identifier: MIT
 *
 * thread_pool_wait.c - waits of the thread pool.
 */
#include "winapi/linux/thread_pool.h"

#include <stdlib.h>

static void call_wait(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                      const struct pool_call *call)
{
    object->fn.wait(instance, object->context, (PTP_WAIT)object,
                    call->timed_out ? WAIT_TIMEOUT : WAIT_OBJECT_0);
}

static void run_wait(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_wait);
}

static void destroy(struct pool_item *item)
{
    pool_wait_clear(&((struct tp_object *)item)->wait);
    free(item);
}

static int init_wait(struct tp_object *object, struct pool *pool, struct pool_group *group)
{
    object->item.destroy = destroy;
    return pool_wait_init(&object->wait, pool, group);
}

TP_WAIT *WINAPI CreateThreadpoolWait(PTP_WAIT_CALLBACK pfnwa, PVOID pv, TP_CALLBACK_ENVIRON *pcbe)
{
    struct tp_object *object = win__tp_create(pfnwa, pv, pcbe, init_wait, run_wait);
    if (object)
        object->fn.wait = pfnwa;
    return (TP_WAIT *)object;
}

/* For a handle that cannot be waited for Windows raises an exception. */
BOOL WINAPI SetThreadpoolWaitEx(PTP_WAIT pwa, HANDLE h, PFILETIME pftTimeout, PVOID Reserved)
{
    (void)Reserved;
    bool taken_back = false;
    struct pool_wait *wait = &((struct tp_object *)pwa)->wait;
    struct object *object = NULL;
    int error = h ? win__pool_object(h, &object) : 0;
    uint64_t deadline = pftTimeout ? win__file_time_due(pftTimeout) : PLAT_FOREVER;
    if (pool_wait_set(wait, object, deadline, &taken_back)) {
        error = ERROR_NOT_ENOUGH_MEMORY;
        pool_wait_set(wait, NULL, 0, &taken_back);
    }
    if (object)
        object_drop(object);
    if (error)
        win__fail((DWORD)error);
    return taken_back;
}

VOID WINAPI SetThreadpoolWait(PTP_WAIT pwa, HANDLE h, FILETIME *pftTimeout)
{
    SetThreadpoolWaitEx(pwa, h, pftTimeout, NULL);
}

VOID WINAPI WaitForThreadpoolWaitCallbacks(PTP_WAIT pwa, BOOL fCancelPendingCallbacks)
{
    win__tp_wait((struct tp_object *)pwa, fCancelPendingCallbacks);
}

VOID WINAPI CloseThreadpoolWait(PTP_WAIT pwa)
{
    struct tp_object *object = (struct tp_object *)pwa;
    object->item.stop(&object->item);
    pool_item_close(&object->item, NULL);
}
