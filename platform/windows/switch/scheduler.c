/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a thread turned scheduler, and back.
 */
#include "platform/windows/switch/scheduler.h"

#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/thread_name_trace.h"
#include "platform/windows/switch/restart.h"
#include "platform/windows/switch/teb_access.h"

static void first_activation(void *scheduler)
{
    engine_core->activate(scheduler, PLAT_ENTRY_FIRST);
}

int plat_scheduler_enter(struct plat_context *scheduler)
{
    scheduler->thread_id = GetCurrentThreadId();
    atomic_store_explicit(&scheduler->pinned, 0, memory_order_relaxed);
    if (!engine_set_current(scheduler))
        return ERROR_NOT_ENOUGH_MEMORY;
    scheduler->watched = (struct plat_watched){0};
    thread_map_add(scheduler);
    trace_enter(scheduler, scheduler->thread_id, 0);
    trace(scheduler, TRACE_LOAD, scheduler, 0, scheduler->thread_id, 0);
    int result = sched_base(&scheduler->sp, first_activation, scheduler);
    if (engine_in_place)
        teb_return_activation(&scheduler->values);
    if (trace_on())
        thread_name_trace(scheduler);
    trace_left(scheduler);
    thread_map_remove(scheduler);
    engine_set_current(NULL);
    return result;
}

/* On the scheduler's thread. The exit code goes to a slot of the thread, since the context is freed
 * before the thread ends. */
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
