/* SPDX-License-Identifier: MIT
 *
 * wait.c - waiting for objects and for time: how each kind of thread stands still meanwhile.
 */
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/inspect/clock.h"
#include "platform/linux/inspect/trace.h"
#include "platform/linux/raw.h"

/* ---- Time ------------------------------------------------------------------------------------------- */

/* Decides the wait unless somebody did; true: this caller did, and has to let the waiter go. */
static bool decide(struct wait *wait, uint32_t result)
{
    struct wait *chain = NULL;
    plat_lock(&dispatcher_lock);
    bool mine = !wait->decided;
    if (mine)
        wait_decide(wait, result, &chain);
    dispatcher_unlock(NULL);
    return mine;
}

static void timed_out(struct plat_timer *timer)
{
    struct wait *wait = (struct wait *)((char *)timer - offsetof(struct wait, timer));
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

/* A timer that can no longer be cancelled is looking at the wait: lets it pass, unless it was the one
 * that let the waiter go. */
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
    if (wait)
        wait_disarm_timer(wait);
}

/* ---- Waiting ---------------------------------------------------------------------------------------- */

/* On the scheduler: the worker can be queued from here on. Nothing is freed on this path. */
static bool unlock_left(void *arg)
{
    struct wait_then then = *(struct wait_then *)arg; /* on the worker's stack */
    plat_tls.locks++; /* the worker's count was lowered by the worker */
    plat_unlock(&dispatcher_lock);
    waits_open(then.chain);
    if (then.fn)
        then.fn(then.arg);
    return true;
}

static void wait_as_worker(struct plat_context *worker, struct wait *wait, uint64_t deadline,
                           const struct wait_then *then)
{
    wait->worker = worker;
    if (deadline != PLAT_FOREVER) {
        /* Whoever ends this worker while it waits looks here. */
        worker->thread->armed = wait;
        wait_arm(wait, deadline);
    }
    plat_tls.locks--;
    engine_core->worker_wait(worker, unlock_left, (void *)then);
    if (deadline != PLAT_FOREVER) {
        wait_disarm_timer(wait);
        plat_tls.thread->armed = NULL;
    }
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->signals.due, memory_order_relaxed)))
        dispatch_hooks.signals_due(worker);
}

static __attribute__((noinline)) void wait_as_thread(struct wait *wait, uint64_t deadline, const struct wait_then *then)
{
    struct plat_context *self = plat_current();
    struct plat_thread *thread = plat_tls.thread;
    dispatcher_unlock(then->chain);
    if (then->fn)
        then->fn(then->arg);
    if (self && self->is_scheduler) {
        engine_clock_set(plat_now());
        trace(self, TRACE_SLEEP, self, 0, 0, 0);
    }
    if (self && self->is_scheduler && self->lane)
        dispatch_hooks.before_sleep(self->lane);
    atomic_store_explicit(&thread->stopped, true, memory_order_relaxed);
    while (!atomic_load_explicit(&wait->go, memory_order_acquire)) {
        if (futex_wait_until(&wait->go, 0, deadline))
            continue;
        if (decide(wait, WAITED_TIMEOUT))
            break;
        deadline = PLAT_FOREVER; /* decided: about to be let go */
    }
    if (self && self->is_scheduler)
        trace(self, TRACE_WAKE, self, 0, 0, 0);
    dispatch_hooks.after_wait(thread);
}

uint32_t wait_unlocked(struct wait *wait, uint64_t deadline, const struct wait_then *then)
{
    struct plat_context *self = plat_current();
    if (self && !self->is_scheduler && engine_core->scheduler_of(self))
        wait_as_worker(self, wait, deadline, then);
    else
        wait_as_thread(wait, deadline, then);
    return wait->result;
}

/* Under the lock. 0 or a WAITED_ failure. */
static uint32_t signal_first(void *handle, struct plat_thread *self, struct wait **chain)
{
    struct object *object = handle_find(handle, self);
    if (!object)
        return WAITED_BAD_HANDLE;
    enum object_action action = object->type == OBJECT_SEMAPHORE ? SEMAPHORE_ADD
                                : object->type == OBJECT_MUTEX   ? MUTEX_GIVE
                                                                 : EVENT_SET;
    switch (object_act(object, action, 1, chain)) {
    case 0:
        return 0;
    case 288:
        return WAITED_NOT_OWNER;
    case 298:
        return WAITED_OVER_LIMIT;
    default:
        return WAITED_BAD_HANDLE;
    }
}

/* Under the lock. The objects of the handles into the blocks. */
static uint32_t resolve(const struct wait_request *request, struct wait *wait)
{
    for (; wait->count < request->count; wait->count++) {
        void *handle = request->handles[wait->count];
        struct object *object = handle_find(handle, wait->thread);
        if (!object || (request->no_pseudo && (intptr_t)handle < 0))
            return WAITED_BAD_HANDLE;
        for (unsigned i = 0; request->all && i < wait->count; i++)
            if (wait->blocks[i].object == object)
                return WAITED_SAME_TWICE;
        wait->blocks[wait->count].object = object;
    }
    return 0;
}

static inline uint32_t wait_with(const struct wait_request *request, struct wait_block *blocks)
{
    struct wait wait;
    struct wait *chain = NULL;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return WAITED_NO_MEMORY;
    wait_init(&wait, blocks, self);
    wait.alertable = request->alertable;
    wait.all = request->all && request->count > 1;

    plat_lock(&dispatcher_lock);
    uint32_t result = resolve(request, &wait);
    if (!result && request->signal_first)
        result = signal_first(request->signal_first, self, &chain);
    if (!result) {
        if (wait_satisfy(&wait)) {
            result = wait.result;
        } else if (wait.alertable && self->first_apc) {
            result = WAITED_APC;
        } else if (!request->deadline) {
            result = WAITED_TIMEOUT;
        } else {
            wait_enqueue(&wait);
            result = wait_unlocked(&wait, request->deadline, &(struct wait_then){.chain = chain});
            goto waited;
        }
    }
    dispatcher_unlock(chain);
waited:
    if (result == WAITED_APC)
        apcs_run();
    return result;
}

uint32_t wait_for_handle(const struct wait_request *request)
{
    struct wait_block block;
    return wait_with(request, &block);
}

uint32_t wait_for_handles(const struct wait_request *request)
{
    struct wait_block blocks[WAIT_MAX];
    return wait_with(request, blocks);
}

uint32_t wait_for_object(struct object *object, uint64_t deadline)
{
    struct wait_block block = {.object = object};
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return WAITED_NO_MEMORY;
    wait_init(&wait, &block, self);
    wait.count = 1;
    plat_lock(&dispatcher_lock);
    if (wait_satisfy(&wait)) {
        plat_unlock(&dispatcher_lock);
        return wait.result;
    }
    if (!deadline) {
        plat_unlock(&dispatcher_lock);
        return WAITED_TIMEOUT;
    }
    wait_enqueue(&wait);
    return wait_unlocked(&wait, deadline, &(struct wait_then){0});
}

uint32_t wait_for_time(uint64_t deadline, bool alertable)
{
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        UMS_FATAL("no memory for a thread that sleeps", 0, 0);
    wait_init(&wait, NULL, self);
    wait.alertable = alertable;
    plat_lock(&dispatcher_lock);
    uint32_t result = WAITED_APC;
    if (alertable && self->first_apc) {
        plat_unlock(&dispatcher_lock);
    } else {
        wait_enqueue(&wait);
        result = wait_unlocked(&wait, deadline, &(struct wait_then){0});
    }
    if (result == WAITED_APC)
        apcs_run();
    return result;
}

bool wait_cancel(struct plat_thread *thread)
{
    struct wait *chain = NULL;
    plat_lock(&dispatcher_lock);
    struct wait *wait = thread->wait;
    if (wait)
        wait_decide(wait, WAITED_CANCELLED, &chain);
    dispatcher_unlock(chain);
    return wait != NULL;
}
