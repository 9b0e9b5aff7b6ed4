/* SPDX-License-Identifier: MIT
 *
 * activation.c - running a scheduler's entry point.
 *
 * At most one activation per scheduler is live. It starts at the same stack position each time and
 * ends by returning (the scheduler leaves UMS mode) or by a successful ExecuteUmsThread (its frames
 * are dropped without unwinding). What makes the next one: a worker's yield (scheduler.c), a worker's
 * block or end, seen by the engine or by the worker itself.
 */
#include "umsshim/core.h"

/* An entry point that ends its thread by unwinding (pthread_exit) passes through here; exceptions
 * do not: nothing catches them, and the process ends. */
static void unwound(struct ums_context **scheduler)
{
    if (*scheduler)
        plat_scheduler_leave(&(*scheduler)->plat, true);
}

/* At the scheduler's stack position. */
static _Noreturn void run_entry_point(struct plat_context *plat, uintptr_t reason, void *payload,
                                      void *param)
{
    struct ums_context *scheduler = ums__of(plat);
    __attribute__((cleanup(unwound))) struct ums_context *guard = scheduler;
    scheduler->proc((UMS_SCHEDULER_REASON)reason, (ULONG_PTR)payload, param);
    guard = NULL;
    plat_scheduler_leave(&scheduler->plat, false);
}

_Noreturn void ums__activate(struct ums_context *scheduler, UMS_SCHEDULER_REASON reason,
                             ULONG_PTR payload, void *param)
{
    plat_restart(&scheduler->plat, (void *)run_entry_point, reason, (void *)payload, param);
}

/* On the scheduler, which a carrier has just loaded. */
void ums__scheduler_activate(struct plat_context *plat, bool blocked)
{
    struct ums_context *scheduler = ums__of(plat);
    if (blocked)
        ums__activate(scheduler, UmsSchedulerThreadBlocked, 1, NULL);
    ums__activate(scheduler, UmsSchedulerStartup, 0, scheduler->proc_param);
}
