/* SPDX-License-Identifier: MIT
 *
 * worker.c - workers' threads: creation, start, end.
 *
 * A worker's thread starts as any other: the loader runs, and then worker_start queues the context
 * and parks until it is executed. Creation does not wait for that: the creator may hold the
 * loader's lock, or be a scheduler whose blocked worker holds it.
 *
 * The end has two halves. The scheduler is told as soon as the start routine has returned. The
 * thread queues the context as terminated by its last act, after the loader's work and all
 * destructors (thread_ends). Between the two it runs as a plain thread does.
 */
#include "platform/windows/worker.h"

#include "platform/windows/calls/loader_notices.h"
#include "platform/windows/calls/runtime_pin.h"
#include "platform/windows/calls/window_calls.h"
#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/late_ends.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/inplace_gap.h"
#include "platform/windows/switch/interrupt.h"
#include "platform/windows/switch/restart.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/switch/thread_name_trace.h"
#include "platform/windows/switch/thread_switch.h"
#include "platform/windows/waits/alert.h"
#include "platform/windows/waits/handle_info.h"
#include "platform/windows/waits/user_wait.h"
#include "platform/windows/waits/wait_service.h"

static _Noreturn void worker_begins(struct plat_context *self)
{
    self->inside = false;
    engine_core->worker_main(self);
    UMS_FATAL("a worker's main returned", self, 0);
}

static void begin_home(void *self)
{
    inplace_home(self, worker_begins);
}

static DWORD WINAPI worker_start(LPVOID arg)
{
    struct plat_context *self = arg;
    engine_set_current(self);
    alert_begin(self);
    atomic_store_explicit(&self->teb, teb_here(), memory_order_release);
    engine_core->worker_born(self);
    if (engine_in_place)
        sched_base(&self->home_sp, begin_home, self);
    engine_core->worker_ready(self);
    thread_switch_park(self, false);
    worker_begins(self);
}

int plat_worker_create(struct plat_context *worker, size_t stack_bytes, struct plat_thread *thread)
{
    worker->is_scheduler = false;
    worker->inside = true;
    worker->ending = false;
    worker->last_call = LAST_CALL_NONE;
    worker->locks = 0;
    worker->frozen = NULL;
    worker->exit_code = STILL_ACTIVE;
    worker->event = NULL;
    worker->thread_id = 0;
    atomic_store_explicit(&worker->teb, NULL, memory_order_relaxed);
    worker->saved_sp = NULL;
    worker->host = NULL;
    worker->left_teb = NULL;
    worker->interrupt = INTERRUPT_NONE;
    worker->interrupted = NULL;
    worker->in_call = NULL;
    worker->left_at = GetTickCount(); /* the worker waits from now on */
    atomic_store_explicit(&worker->call, 0, memory_order_relaxed);
    worker->call_lock = (struct plat_lock){0};
    atomic_store_explicit(&worker->pinned, 0, memory_order_relaxed);
    user_wait_begin(worker);
    loader_notices_start();
    window_calls_start();
    runtime_pin_start();
    if (engine_in_place && !wait_service_start())
        return ERROR_NOT_ENOUGH_MEMORY;
    if (engine_in_place && stack_bytes)
        stack_bytes += INPLACE_GAP;
    atomic_store_explicit(&worker->word, HAND_EMPTY, memory_order_relaxed);
    DWORD id;
    HANDLE handle =
        CreateRemoteThreadEx(GetCurrentProcess(), thread->security, stack_bytes, worker_start,
                             worker, thread->flags | CREATE_SUSPENDED, thread->attributes, &id);
    if (!handle)
        return (int)GetLastError();
    handle_info_made(handle);
    worker->thread_id = worker->carrier_id = id;
    thread_map_add(worker);
    runtime_pin_new(worker);
    trace(NULL, TRACE_BIRTH, worker, 0, id, 0);
    thread->handle = handle;
    thread->id = id;
    if (!ntapi_resume(handle))
        UMS_FATAL("a new thread could not be resumed", GetLastError(), id);
    return 0;
}

/* The creator does not wait until the thread runs, so this function may have to wait. It asks the
 * system, which may know the TEB before the thread itself has stored it. */
void *plat_worker_teb(const struct plat_context *worker)
{
    void *teb = atomic_load_explicit(&worker->teb, memory_order_acquire);
    HANDLE thread = teb ? NULL : OpenThread(THREAD_QUERY_INFORMATION, FALSE, worker->thread_id);
    if (thread) {
        teb = ntapi_teb_of(thread);
        CloseHandle(thread);
    }
    return teb;
}

void plat_set_exit_code(struct plat_context *worker, uint32_t code)
{
    worker->exit_code = code;
}

void worker_gone_by_proxy(struct plat_context *worker)
{
    if (worker->event)
        CloseHandle(worker->event);
    worker->event = NULL;
    struct leaving leaving;
    thread_map_leave(worker, &leaving);
    engine_core->worker_gone(worker);
    thread_map_left(&leaving);
}

/* The context may be another worker's as soon as it is queued. So this thread forgets it before. */
static void thread_ends(struct plat_context *worker)
{
    alert_end(worker);
    engine_set_current(NULL);
    worker_gone_by_proxy(worker);
}

static _Noreturn void end_thread(struct plat_context *worker)
{
    uint32_t exit_code = worker->exit_code;
    UMS_CHECK(!worker->host && teb_kernel_id() == worker->thread_id, worker, teb_kernel_id());
    late_ends_note(worker->thread_id);
    thread_ends(worker);
    ntapi_end_thread(exit_code);
}

_Noreturn void plat_worker_exit(struct plat_context *worker, struct plat_context *scheduler,
                                void (*after)(struct plat_context *, void *))
{
    worker->inside = true;
    worker->ending = true;
    if (trace_on())
        thread_name_trace(worker);
    trace(scheduler, TRACE_END, worker, 0, 0, 0);
    if (worker->host)
        inplace_end_home(worker, scheduler, after);
    else
        thread_switch_give(scheduler, after, NULL);
    if (worker->frozen)
        sched_return(worker->sp, 0); /* returns to worker_stop_by_proxy */
    switch (worker->last_call) {
    case LAST_CALL_DETACH:
        sched_return(worker->sp, 0);
    case LAST_CALL_HOOKED:
        end_thread(worker);
    default:
        ExitThread(worker->exit_code); /* this leads to worker_last_call or worker_detach */
    }
}

void worker_last_call(struct plat_context *worker, uint32_t exit_code,
                      void (*exit_running)(struct plat_context *worker))
{
    worker->exit_code = exit_code;
    if (!worker->ending) {
        worker->last_call = LAST_CALL_HOOKED;
        exit_running(worker);
    }
    end_thread(worker);
}

struct detach {
    struct plat_context *worker;
    void (*exit_running)(struct plat_context *worker);
};

static void exit_from_detach(void *arg)
{
    struct detach *detach = arg;
    detach->exit_running(detach->worker);
}

void worker_detach(struct plat_context *worker, void (*exit_running)(struct plat_context *worker))
{
    struct detach detach = {worker, exit_running};
    if (!worker->ending) {
        worker->last_call = LAST_CALL_DETACH;
        sched_base(&worker->sp, exit_from_detach, &detach);
    }
    thread_ends(worker);
}

/* Never called, for this engine never calls core->worker_signalled. A worker's APC waits for its
 * own thread. */
void plat_worker_signalled(struct plat_context *worker)
{
    UMS_FATAL("a worker has a signal, on Windows", worker, worker->thread_id);
}

void plat_executes(struct plat_context *scheduler, struct plat_context *worker)
{
    (void)scheduler;
    (void)worker;
}

/* Never called, for this engine never calls core->held.keep. */
void plat_worker_is_back(struct plat_context *scheduler)
{
    UMS_FATAL("a worker is kept, on Windows", scheduler, 0);
}

/* The worker's owner ends it where it parks. No destructor runs, as after TerminateThread. */
void plat_worker_kill(struct plat_context *worker)
{
    thread_switch_wake(worker, HAND_END);
}

_Noreturn void worker_killed(struct plat_context *worker)
{
    end_thread(worker);
}

/* Reads worker->sp first: the worker may be executed, and stopped again, as soon as its scheduler
 * was told. */
static void stop_frozen(void *arg)
{
    struct plat_context *worker = arg;
    void *sp = worker->sp;
    engine_core->worker_stop(worker);
    sched_return(sp, 1);
}

/* A worker that is to end never comes back from worker_stop: plat_worker_exit has told its
 * scheduler and returns here, to end its thread. */
void worker_stop_by_proxy(struct plat_context *worker)
{
    if (sched_base(&worker->sp, stop_frozen, worker) == 0)
        thread_switch_wake(worker, HAND_END);
}
