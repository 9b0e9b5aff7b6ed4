/* SPDX-License-Identifier: MIT
 *
 * thread_pool_timer.c - timers of the thread pool.
 */
#include "winapi/linux/thread_pool.h"

static void call_timer(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                       const struct pool_call *call)
{
    (void)call;
    object->fn.timer(instance, object->context, (PTP_TIMER)object);
}

static void run_timer(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_timer);
}

static int init_timer(struct tp_object *object, struct pool *pool, struct pool_group *group)
{
    return pool_timer_init(&object->timer, pool, group);
}

TP_TIMER *WINAPI CreateThreadpoolTimer(PTP_TIMER_CALLBACK pfnti, PVOID pv,
                                       TP_CALLBACK_ENVIRON *pcbe)
{
    struct tp_object *object = win__tp_create(pfnti, pv, pcbe, init_timer, run_timer);
    if (object)
        object->fn.timer = pfnti;
    return (TP_TIMER *)object;
}

BOOL WINAPI SetThreadpoolTimerEx(PTP_TIMER pti, PFILETIME pftDueTime, DWORD msPeriod,
                                 DWORD msWindowLength)
{
    (void)msWindowLength; /* the timer is always on time */
    struct tp_object *object = (struct tp_object *)pti;
    atomic_store_explicit(&object->set, pftDueTime != NULL, memory_order_relaxed);
    return pool_timer_set(&object->timer,
                          pftDueTime ? win__file_time_due(pftDueTime) : PLAT_FOREVER,
                          pftDueTime ? (uint64_t)msPeriod * 1000000u : 0);
}

VOID WINAPI SetThreadpoolTimer(PTP_TIMER pti, FILETIME *pftDueTime, DWORD msPeriod,
                               DWORD msWindowLength)
{
    SetThreadpoolTimerEx(pti, pftDueTime, msPeriod, msWindowLength);
}

BOOL WINAPI IsThreadpoolTimerSet(PTP_TIMER pti)
{
    return atomic_load_explicit(&((struct tp_object *)pti)->set, memory_order_relaxed);
}

VOID WINAPI WaitForThreadpoolTimerCallbacks(PTP_TIMER pti, BOOL fCancelPendingCallbacks)
{
    win__tp_wait((struct tp_object *)pti, fCancelPendingCallbacks);
}

VOID WINAPI CloseThreadpoolTimer(PTP_TIMER pti)
{
    struct tp_object *object = (struct tp_object *)pti;
    object->item.stop(&object->item);
    pool_item_close(&object->item, NULL);
}
