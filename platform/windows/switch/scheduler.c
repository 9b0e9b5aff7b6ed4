/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a thread turned scheduler, and back.
 */
#include "platform/windows/switch/scheduler.h"

#include "platform/windows/engine.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/restart.h"
#include "platform/windows/switch/teb_access.h"

static void first_activation(void *scheduler)
{
    engine_core->activate(scheduler, false);
}

int plat_scheduler_enter(struct plat_context *scheduler)
{
    scheduler->thread_id = GetCurrentThreadId();
    if (!engine_set_current(scheduler))
        return ERROR_NOT_ENOUGH_MEMORY;
    thread_map_add(scheduler);
    int result = sched_base(&scheduler->sp, first_activation, scheduler);
    if (engine_in_place)
        teb_return_activation(&scheduler->values);
    thread_map_remove(scheduler);
    engine_set_current(NULL);
    return result;
}

/* On the scheduler's thread. The exit code is kept beside the context, which is given back before the
 * thread ends. */
_Noreturn void plat_scheduler_leave(struct plat_context *scheduler, bool exit_thread)
{
    if (scheduler->ended_by_other)
        TlsSetValue(engine_exit_slot, (void *)(uintptr_t)scheduler->end_code);
    sched_return(scheduler->sp, exit_thread ? PLAT_EXIT_THREAD : 0);
}

_Noreturn void scheduler_exits(struct plat_context *scheduler, uint32_t exit_code)
{
    TlsSetValue(engine_exit_slot, (void *)(uintptr_t)exit_code);
    plat_scheduler_leave(scheduler, true);
}

_Noreturn void plat_thread_exit(void)
{
    ntapi_end_thread((uint32_t)(uintptr_t)TlsGetValue(engine_exit_slot));
}
