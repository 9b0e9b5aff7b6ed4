/* SPDX-License-Identifier: MIT
 *
 * activation.c - running a scheduler's entry point.
 *
 * At most one activation per scheduler is live. It starts at the same stack position each time and
 * ends by returning (the scheduler leaves UMS mode) or by a successful ExecuteUmsThread (its frames
 * are dropped without unwinding). The next one begins when a worker yields (scheduler.c), blocks or
 * ends.
 */
#include "umsshim/core.h"

/* An entry point that calls pthread_exit unwinds to its activation. An exception does not: nothing
 * catches it, so the process ends. */
void ums__entry_unwound(void)
{
    struct ums_context *scheduler = ums__current_scheduler();
    if (scheduler)
        plat_scheduler_leave(&scheduler->plat, true);
}

/* Runs at the scheduler's stack position. When the program's entry point returns, the scheduler
 * leaves UMS mode. */
_Noreturn void ums__run_entry_point(struct plat_context *plat, uintptr_t reason, void *payload,
                                    void *param)
{
    struct ums_context *scheduler = ums__of(plat);
    plat_call_entry((void *)scheduler->proc, reason, payload, param);
    plat_scheduler_leave(&scheduler->plat, false);
}

/* The engine calls this on the scheduler's stack; on Linux a carrier has just loaded the scheduler.
 * The activation is Startup at first, and Blocked afterwards. */
void ums__scheduler_activate(struct plat_context *plat, enum plat_entry why)
{
    struct ums_context *scheduler = ums__of(plat);
    if (why != PLAT_ENTRY_FIRST)
        ums__activate(scheduler, UmsSchedulerThreadBlocked, why == PLAT_ENTRY_CALL, NULL);
    ums__activate(scheduler, UmsSchedulerStartup, 0, scheduler->proc_param);
}
