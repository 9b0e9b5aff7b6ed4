/* SPDX-License-Identifier: MIT
 *
 * wait.c - how each kind of thread stands still, and how another thread ends its wait.
 */
#include "platform/container_of.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/dispatch/seat.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/timer.h"
#include "platform/trace/trace.h"
#include "platform/linux/os/raw.h"

/* ---- Time ------------------------------------------------------------------------------------ */

/* Decides the wait unless another thread has. True: this caller did, and must wake the waiter. pre:
 * the wait stays valid meanwhile. The object need not: a decided wait has no reference to it. */
static bool decide(struct wait *wait, uint32_t result)
{
    struct wait *chain = NULL;
    if (wait->any) {
        if (!wait_claim(wait))
            return false;
        wait_set_result(wait, result);
        return true;
    }
    struct plat_lock *lock = wait_lock(wait);
    plat_lock_ranked(lock, wait->all ? RANK_ALL : RANK_OBJECT);
    bool mine = !wait->decided;
    struct object *last = NULL;
    if (mine) {
        last = !wait->all && wait->count ? wait->blocks[0].object : NULL;
        wait_decide(wait, result, &chain);
    }
    if (last)
        object_unlock(last);
    else
        plat_unlock_lasting_any(lock);
    return mine;
}

static void timed_out(struct plat_timer *timer)
{
    struct wait *wait = CONTAINER_OF(timer, struct wait, timer);
    if (decide(wait, WAITED_TIMEOUT)) {
        wait->to_open = NULL;
        waits_open(wait);
    } else {
        atomic_store_explicit(&wait->timer_done, 1, memory_order_release);
        futex_wake(&wait->timer_done, 1);
    }
}

__attribute__((noinline)) void wait_arm(struct wait *wait, uint64_t deadline)
{
    wait->timed = true;
    atomic_store_explicit(&wait->timer_done, 0, memory_order_relaxed);
    wait->timer.deadline = deadline;
    wait->timer.fire = timed_out;
    timer_add(&wait->timer);
}

/* A timer that can no longer be cancelled reads the wait now. Waits until the timer thread is done,
 * unless that has woken the waiter. */
__attribute__((noinline)) void wait_disarm_timer(struct wait *wait)
{
    if (wait->timed && wait->result != WAITED_TIMEOUT && !timer_cancel(&wait->timer))
        while (!atomic_load_explicit(&wait->timer_done, memory_order_acquire))
            futex_wait(&wait->timer_done, 0);
}

void wait_disarm(struct plat_thread *thread)
{
    struct wait *wait = thread->armed;
    thread->armed = NULL;
    if (!wait)
        return;
    wait_disarm_timer(wait);
    if (wait->any)
        wait_leave_lists(wait);
}

/* ---- From outside ---------------------------------------------------------------------------- */

static bool due(const struct wait *wait, uint32_t result)
{
    return result != WAITED_APC ||
           (wait->alertable &&
            atomic_load_explicit(&wait->thread->first_apc, memory_order_relaxed) != NULL);
}

/* With the object's lock. A wait on the object's list is its thread's present wait. */
static struct wait *find_at_object(struct object *object, struct plat_thread *thread)
{
    struct wait_block *block = object->first;
    while (block && block->wait->thread != thread)
        block = block->next;
    return block ? block->wait : NULL;
}

static bool end_at_object(struct object *object, struct plat_thread *thread, uint32_t result,
                          bool all, struct wait **chain)
{
    struct wait *wait = find_at_object(object, thread);
    if (!wait || !due(wait, result)) {
        plat_unlock_lasting(&object->lock);
        return false;
    }
    if (wait->all) {
        plat_unlock_lasting(&object->lock);
        if (all) /* the wait is still there: only a holder of the all-lock decides it */
            wait_decide(wait, result, chain);
        return all;
    }
    if (result == WAITED_SIGNAL)
        object->refs++; /* for the waiter */
    wait_decide(wait, result, chain);
    object_unlock(object);
    return true;
}

static bool end_at_address(struct bucket *bucket, struct plat_thread *thread, uint32_t result,
                           struct wait **chain)
{
    plat_lock(&bucket->lock);
    struct wait *wait = bucket->first;
    while (wait && wait->thread != thread)
        wait = wait->next_at;
    bool ends = wait && due(wait, result);
    if (ends)
        wait_decide(wait, result, chain);
    plat_unlock_lasting(&bucket->lock);
    return ends;
}

/* A thread keeps its sitter, whose word says whether the thread waits. */
static bool end_any(struct plat_thread *thread, uint32_t result, struct wait **chain)
{
    bool by_procedure = result == WAITED_APC;
    struct sitter *sitter = thread->sitter;
    if (by_procedure && !atomic_load_explicit(&thread->first_apc, memory_order_relaxed))
        return false;
    uint64_t word = atomic_load_explicit(&sitter->word, memory_order_relaxed);
    struct wait *wait = sitter_claim(sitter, SEAT_NUMBER(word), by_procedure ? SEAT_ALERTABLE : 0);
    if (!wait)
        return false;
    wait_set_result(wait, result);
    wait->to_open = NULL;
    *chain = wait;
    return true;
}

static bool end_sleep(struct plat_thread *thread, uint32_t result, struct wait **chain)
{
    plat_lock(&thread->object.lock);
    struct wait *wait = thread->sleep;
    bool ends = wait && due(wait, result);
    if (ends)
        wait_decide(wait, result, chain);
    plat_unlock_lasting(&thread->object.lock);
    return ends;
}

/* The thread may go on at any moment, and its wait may be over. But waits_at names a place that
 * always has a lock. Under that lock the wait is found there, or it is over. */
static bool end_wait(struct plat_thread *thread, uint32_t result)
{
    struct wait *chain = NULL;
    uintptr_t at = atomic_load_explicit(&thread->waits_at, memory_order_acquire);
    bool ended = false;
    if (at == WAITS_FOR_TIME) {
        ended = end_sleep(thread, result, &chain);
    } else if (at == WAITS_FOR_ANY) {
        ended = end_any(thread, result, &chain);
    } else if (at & WAITS_AT_BUCKET) {
        ended = end_at_address((struct bucket *)(at & ~(uintptr_t)WAITS_AT_BUCKET), thread, result,
                               &chain);
    } else if (at) {
        struct object *object = (struct object *)at;
        bool all = object_lock_to_signal(object);
        ended = end_at_object(object, thread, result, all, &chain);
        if (all)
            plat_unlock_lasting(&all_lock);
    }
    waits_open(chain);
    return ended;
}

bool wait_cancel(struct plat_thread *thread)
{
    return end_wait(thread, WAITED_CANCELLED);
}

bool wait_interrupt(struct plat_thread *thread)
{
    return end_wait(thread, WAITED_SIGNAL);
}

/* The procedure was queued with a locked instruction; the waiter says where it waits, and looks for
 * procedures after a fence (wait_alerted). So one of the two sees the other. */
void wait_alert(struct plat_thread *thread)
{
    end_wait(thread, WAITED_APC);
}

bool wait_alerted(const struct wait *wait)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&wait->thread->first_apc, memory_order_relaxed) != NULL;
}

/* ---- Standing still -------------------------------------------------------------------------- */

/* The scheduler releases the lock that the worker took. From then on another thread may queue the
 * worker. Nothing is freed on this path. */
static bool unlock_left(void *arg)
{
    struct wait_then then = *(struct wait_then *)arg; /* on the worker's stack */
    plat_lock_taken_over(then.lock, RANK_OBJECT); /* or the all-lock: it is given back at once */
    plat_unlock_lasting_any(then.lock);
    waits_open(then.chain);
    if (UMS_UNLIKELY(then.left_port != NULL))
        dispatch_hooks.place_free(then.left_port);
    if (then.fn)
        then.fn(then.arg);
    return true;
}

/* The scheduler notes that the worker has left its stack. False: another thread has decided the
 * wait and woken the worker. */
static bool park(void *arg)
{
    struct wait *wait = arg;
    return !(atomic_fetch_or_explicit(&wait->sitter->word, SEAT_PARKED, memory_order_acq_rel) &
             SEAT_OPEN);
}

/* The wait, which lies on the worker's stack, is over. Once no other thread knows of it, a handler
 * may wait itself, or jump away. */
static __attribute__((noinline)) void handle_signals(struct plat_context *worker, struct wait *wait)
{
    plat_tls.thread->armed = NULL;
    if (wait->any)
        wait_leave_lists(wait);
    dispatch_hooks.signals_due(worker);
}

static void wait_as_worker(struct plat_context *worker, struct wait *wait, uint64_t deadline,
                           const struct wait_then *then)
{
    bool kept = deadline != PLAT_FOREVER || wait->any;
    struct object *left_port = place_give_up(worker->thread);
    struct wait_then then_settle;
    wait->worker = worker;
    if (UMS_UNLIKELY(kept)) {
        /* A thread that ends this worker while it waits looks here. */
        worker->thread->armed = wait;
        if (deadline != PLAT_FOREVER)
            wait_arm(wait, deadline);
    }
    if (trace_on())
        wait_trace(worker);
    if (UMS_UNLIKELY(left_port != NULL)) {
        then_settle = *then;
        then_settle.left_port = left_port;
        then = &then_settle;
    }
    if (UMS_UNLIKELY(wait->any)) {
        if (UMS_UNLIKELY(left_port != NULL))
            dispatch_hooks.place_free(left_port);
        engine_core->worker_wait(worker, park, wait);
    } else {
        plat_lock_left(then->lock);
        engine_core->worker_wait(worker, unlock_left, (void *)then);
    }
    if (UMS_UNLIKELY(kept)) {
        wait_disarm_timer(wait);
        plat_tls.thread->armed = NULL;
    }
    place_take(worker->thread);
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->signals.due, memory_order_relaxed)))
        handle_signals(worker, wait);
}

static __attribute__((noinline)) void wait_as_thread(struct wait *wait, uint64_t deadline,
                                                     const struct wait_then *then)
{
    struct plat_context *self = plat_current();
    struct plat_thread *thread = plat_tls.thread;
    struct object *left_port = place_give_up(thread);
    if (then->lock)
        plat_unlock_lasting_any(then->lock);
    waits_open(then->chain);
    if (UMS_UNLIKELY(left_port != NULL))
        dispatch_hooks.place_free(left_port);
    if (then->fn)
        then->fn(then->arg);
    plat_tls.locks++; /* the thread must not end in the vDSO: its wait is in lists */
    if (self && self->is_scheduler) {
        engine_clock_set(plat_now());
        trace(self, TRACE_SLEEP, self, 0, 0, 0);
        dispatch_hooks.before_sleep(self);
    }
    plat_tls.locks--;
    atomic_store_explicit(&thread->stopping.stopped, true, memory_order_relaxed);
    bool scheduler = self && self->is_scheduler, elsewhere = scheduler;
    while (atomic_load_explicit(&wait->go, memory_order_acquire) != GO) {
        if (UMS_UNLIKELY(scheduler &&
                         atomic_load_explicit(&self->signals.due, memory_order_relaxed))) {
            dispatch_hooks.after_sleep(self);
            self->runs.patience = 0; /* hold.h: it has no worker in hand */
            dispatch_hooks.signals_due(self);
            dispatch_hooks.before_sleep(self);
            elsewhere = true;
        }
        if (elsewhere) {
            elsewhere = dispatch_hooks.sleep(self, &wait->go, deadline);
            continue;
        }
        if (futex_wait_until(&wait->go, 0, deadline))
            continue;
        if (decide(wait, WAITED_TIMEOUT))
            break;
        deadline = PLAT_FOREVER; /* decided by a thread that is about to wake this one */
    }
    if (self && self->is_scheduler) {
        dispatch_hooks.after_sleep(self);
        trace(self, TRACE_WAKE, self, 0, 0, 0);
    }
    if (wait->any) /* the thread may end below */
        wait_leave_lists(wait);
    place_take(thread);
    dispatch_hooks.after_wait(thread);
}

uint32_t wait_unlocked(struct wait *wait, uint64_t deadline, const struct wait_then *then)
{
    struct plat_context *self = plat_current();
    if (self && !self->is_scheduler && self->scheduler)
        wait_as_worker(self, wait, deadline, then);
    else
        wait_as_thread(wait, deadline, then);
    return wait->result;
}
