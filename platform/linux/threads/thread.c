/* SPDX-License-Identifier: MIT
 *
 * thread.c - threads: the creation of plain ones, the end of all.
 */
#include <stdlib.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/teb.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/fiber.h"
#include "platform/linux/switch/scheduler_priority.h"
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/interrupt/turn.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/births.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/os/task_list.h"
#include "platform/linux/threads/program_end.h"
#include "platform/linux/threads/thread.h"
#include "platform/platform.h"

/* The caller has the thread's binding. `clock` is 0 if the caller is the thread itself. */
static struct plat_context *end(struct plat_thread *thread, pid_t clock)
{
    struct plat_context *context = thread->context;
    cpu_time_thread_ends(thread, context, clock);
    thread->times.ended_at = thread_clock();
    thread->context = NULL;
    thread->ended = true; /* also for apc.c: from here on it queues nothing for the thread */
    return context;
}

static void end_is_told(struct plat_thread *thread, struct plat_context *context)
{
    /* The end goes into the scheduler's list. Often the same scheduler has the workers that waited
     * for this end: the list is written first, and their wake-ups follow together. */
    struct held_wakes held;
    wakes_hold(&held);
    if (context) {
        call_forget(&context->call);
        signals_leave(context);
        tid_map_home(thread->tid, NULL);
        if (plat_tls.current == context)
            plat_tls.current = NULL;
        engine_core->worker_gone(context);
    }
    object_signal(&thread->object);
    wakes_release(&held);
}

/* The caller has the thread's binding. If another thread queued a call before `ended` is written,
 * this function sees that call. */
static bool leaves_nothing(struct plat_thread *thread)
{
    if (thread->owned.first || thread->serves.port || thread->stopping.turns ||
        thread->stopping.sync_kept[0] ||
        atomic_load_explicit(&thread->orphans, memory_order_relaxed))
        return false;
    plat_lock(&thread->own_lock);
    thread->ended = !thread->name && !thread->description &&
                    !atomic_load_explicit(&thread->first_apc, memory_order_relaxed);
    plat_unlock(&thread->own_lock);
    return thread->ended;
}

/* The thread that has ended is never the program's last: the scheduler that runs this function
 * counts, too. A worker of this scheduler may hold the heap's lock, so nothing may be freed here:
 * plat_tls.locks leaves that to the next thread that makes an object. */
bool thread_ended_elsewhere(struct plat_thread *thread, unsigned counted_at)
{
    plat_lock(&thread->binding);
    bool here = leaves_nothing(thread);
    struct plat_context *worker = here ? end(thread, thread->tid) : NULL;
    plat_unlock(&thread->binding);
    if (!here)
        return false;
    program_thread_ended(counted_at);
    end_is_told(thread, worker);
    plat_tls.locks++;
    object_drop(&thread->object);
    plat_tls.locks--;
    return true;
}

void thread_ended(struct plat_thread *thread)
{
    signals_block(NULL); /* a handler might want the same locks */
    plat_lock(&thread->binding);
    struct plat_context *context = end(thread, 0);
    plat_unlock(&thread->binding);
    mutexes_abandon(thread);
    turns_leave(thread);
    sync_call_died(thread);
    port_quit(thread);
    apcs_discard(thread);
    /* This thread leaves the count before another thread can see its end. Else a thread that waited
     * for the end could leave first, and not count as the last. */
    bool last = !plat_tls.counting.auxiliary && program_thread_ended(plat_tls.counting.at);
    uint32_t code = thread->exit_code;
    end_is_told(thread, context);
    object_drop(&thread->object);
    plat_tls.thread = NULL;
    if (last)
        program_end(code);
    fiber_thread_ended();
    call_stack_end();
    if (plat_tls.counting.detaches)
        libc_thread_detach(pthread_self());
}

struct creation {
    struct plat_thread *thread;
    size_t stack_bytes;
    int error;
    unsigned counted_at;
    bool outside;       /* the creator is a broker thread */
    struct baton *done; /* the new thread posts it; or NULL */
};

static void *plain_main(void *arg)
{
    struct creation *creation = arg;
    struct plat_thread *thread = creation->thread;
    if (creation->outside) {
        affinity_reset();
        kthread_name_reset();
    }
    birth_over(creation->counted_at);
    plat_tls.counting.detaches = true;
    plat_tls.counting.at = (uint8_t)creation->counted_at;
    thread_end_seen();
    thread_born(thread, own_tid(), &plat_tls);
    object_drop(&thread->object); /* the hold that thread_start took */
    baton_post(creation->done);   /* from here on the creation may be gone */
    signals_restore(&thread->begin.sigmask);
    if (__builtin_setjmp(plat_tls.exit.frame) == 0) {
        plat_tls.exit.set = true;
        thread_stop_point(thread);
        apcs_run();
        thread->exit_code = thread->begin.start(thread->begin.param);
    }
    return (void *)(uintptr_t)thread->exit_code;
}

/* If the thread is made, the new thread posts the baton. */
static void create_plain(void *arg, struct baton *done)
{
    struct creation *creation = arg;
    pthread_t thread;
    unsigned at = creation->counted_at;
    creation->done = done;
    birth_begins(at);
    int error = program_kthread_create(&thread, creation->stack_bytes, plain_main, creation);
    birth_made(at, error);
    if (!error)
        return;
    creation->error = error;
    baton_post(done);
}

int thread_start(struct plat_thread *thread, size_t stack_bytes, bool suspended)
{
    struct baton born = {BATON_SHUT, NULL};
    struct creation creation = {
        .thread = thread, .stack_bytes = stack_bytes, .outside = plat_tls.current != NULL};
    atomic_store_explicit(&thread->stopping.count, suspended, memory_order_relaxed);
    atomic_store_explicit(&thread->stopping.stopped, suspended, memory_order_relaxed);
    object_hold(&thread->object);
    creation.counted_at = program_thread_began();
    if (creation.outside) {
        broker_ask(create_plain, &creation);
    } else {
        create_plain(&creation, &born);
        baton_wait(&born);
    }
    if (creation.error) {
        program_thread_failed(creation.counted_at);
        object_drop(&thread->object);
        return 8;
    }
    return 0;
}

int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask)
{
    long r = RAW3(SYS_sched_setaffinity, thread->tid, sizeof *mask, mask);
    struct plat_context *context = thread->context;
    cpu_set_t allowed;
    if (r < 0 || !context || !context->is_scheduler)
        return (int)r;
    r = thread_get_affinity(thread, &allowed);
    if (r == 0)
        scheduler_affinity(context, &allowed);
    return (int)r;
}

void thread_set_priority(struct plat_thread *thread, int priority)
{
    plat_lock(&thread->binding);
    thread->priority = priority;
    if (thread->context && thread->context->is_scheduler)
        scheduler_priority(thread->context, priority);
    plat_unlock(&thread->binding);
}

/* Gives the thread the program's new processors, if it has exactly the former ones. True: the
 * thread had the former ones, and has others now. */
static bool follow_affinity(pid_t tid, const cpu_set_t *before, const cpu_set_t *now)
{
    struct plat_context *context = tid_home(tid);
    cpu_set_t own;
    CPU_ZERO(&own);
    if (tid_carrier(tid) || (context && !context->is_scheduler))
        return false; /* carriers follow their scheduler; workers' homes only park */
    if (RAW3(SYS_sched_getaffinity, tid, sizeof own, &own) < 0 || !CPU_EQUAL(&own, before))
        return false;
    RAW3(SYS_sched_setaffinity, tid, sizeof *now, now);
    if (context)
        scheduler_affinity(context, now);
    RAW3(SYS_sched_getaffinity, tid, sizeof own, &own);
    return !CPU_EQUAL(&own, before);
}

int threads_change_affinity(const cpu_set_t *now)
{
    struct task_list threads;
    bool nothing_new;
    int error = task_list_open(&threads);
    if (error)
        return error;
    births_stop();
    const cpu_set_t before = *affinity_of_process();
    affinity_change(now);
    do {
        task_list_read(&threads);
        nothing_new = true;
        for (size_t i = 0; i < threads.count; i++)
            nothing_new &= !follow_affinity(threads.tids[i], &before, now);
    } while (!task_list_suffices(&threads, nothing_new));
    births_go_on();
    task_list_close(&threads);
    return 0;
}

struct plat_context *thread_context(pid_t tid)
{
    return tid_home(tid);
}

int plat_thread_context(void *handle, struct plat_context **context)
{
    if (handle == (void *)(intptr_t)-2) { /* the pseudo-handle of the calling thread */
        *context = plat_current();
        return 0;
    }
    struct object *object = handle_object(handle);
    if (!object || object->type != OBJECT_THREAD) {
        if (object)
            object_drop(object);
        return 6;
    }
    *context = ((struct plat_thread *)object)->context;
    object_drop(object);
    return 0;
}

/* Called in a child after fork: a worker that called fork is the child's only thread, and a plain
 * one. */
void threads_forget(void)
{
    struct plat_thread *thread = plat_tls.thread;
    if (thread) { /* the child has no other thread to hold its lock, stop it or end it */
        thread->context = NULL;
        plat_lock_forget(&thread->binding);
        atomic_store_explicit(&thread->stopping.ending, false, memory_order_relaxed);
        thread->stopping.nudging = false;
        atomic_store_explicit(&thread->stopping.count, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->stopping.stopped, false, memory_order_relaxed);
    }
    plat_tls.current = NULL;
    plat_tls.counting.auxiliary = false;
    plat_tls.counting.detaches = false;
    plat_tls.tid = 0;
    teb_forked();
    program_threads_forget();
}
