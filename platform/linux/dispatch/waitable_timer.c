/* SPDX-License-Identifier: MIT
 *
 * waitable_timer.c - timers as dispatcher objects.
 *
 * A timer that is set to a time in the past is signalled at once, by the thread that sets it.
 *
 * A timer that a timer thread has, or is about to fire, is `held`: it has a reference to itself.
 * Another thread may set it anew or stop it while it is about to fire. Then the timer thread finds
 * in `due`, under the object's lock, what it is to do. All fields are under that lock.
 */
#include <stddef.h>
#include <time.h>

#include "platform/container_of.h"
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waitable_timer.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

struct waitable_timer {
    struct object object;
    struct plat_timer timer;
    bool held;
    uint64_t due;               /* PLAT_FOREVER: it is not set */
    uint64_t period;            /* 0: once */
    struct plat_thread *thread; /* the thread that gets the procedure, with a reference */
    struct apc apc;             /* here, because the timer thread must not use the heap */
};

/* Under the lock. */
static void let_go(struct waitable_timer *timer)
{
    timer->held = false;
    object_unref(&timer->object);
}

/* Windows' count of 100 ns since 1601. */
static uint64_t file_time(void)
{
    struct timespec ts;
    LIBC(clock_gettime)(CLOCK_REALTIME, &ts);
    return ((uint64_t)ts.tv_sec + 11644473600u) * 10000000u + (uint64_t)ts.tv_nsec / 100;
}

/* Under the lock, when the time has come: signals the timer, and sets its next time. Returns the
 * thread that the caller passes to wait_alert once it holds no lock, or NULL. The thread may be
 * gone by then, which does no harm (wait.c). */
static struct plat_thread *expire(struct waitable_timer *timer, uint64_t when, struct wait **chain)
{
    struct plat_thread *alert = NULL;
    timer->object.signal = 1;
    object_release_waiters(&timer->object, chain);
    if (timer->thread && !atomic_load_explicit(&timer->apc.thread, memory_order_acquire)) {
        timer->apc.c = when;
        if (apc_append(&timer->apc, timer->thread))
            alert = timer->thread;
    }
    timer->due = timer->period ? timer->due + timer->period : PLAT_FOREVER;
    return alert;
}

static void unlock(struct waitable_timer *timer, bool all, struct wait *chain,
                   struct plat_thread *alert)
{
    object_unlock_signalled(&timer->object, all);
    waits_open(chain);
    if (alert)
        wait_alert(alert);
}

static void fire(struct plat_timer *plat)
{
    struct waitable_timer *timer = CONTAINER_OF(plat, struct waitable_timer, timer);
    struct wait *chain = NULL;
    struct plat_thread *alert = NULL;
    uint64_t now = plat_now(), when = file_time();

    bool all = object_lock_to_signal(&timer->object);
    if (timer->due <= now)
        alert = expire(timer, when, &chain);
    if (timer->due == PLAT_FOREVER) {
        let_go(timer);
    } else {
        timer->timer.deadline = timer->due;
        timer_add(&timer->timer);
    }
    unlock(timer, all, chain, alert);
}

/* Under the lock. Stops the timer, and withdraws a queued call of its procedure. */
static void stop(struct waitable_timer *timer)
{
    apc_withdraw(&timer->apc, timer->thread);
    timer->due = PLAT_FOREVER;
    timer->period = 0;
    if (timer->held && timer_cancel(&timer->timer))
        let_go(timer);
}

/* Once the last handle is closed, no thread can begin to wait for the timer: it need not fire. */
static void closed(struct object *object)
{
    plat_lock(&object->lock);
    stop((struct waitable_timer *)object);
    object_unlock(object);
}

static void destroy(struct object *object)
{
    struct waitable_timer *timer = (struct waitable_timer *)object;
    if (timer->thread)
        object_drop(&timer->thread->object);
}

struct object *waitable_timer_create(bool manual)
{
    if (dispatch_hooks.start())
        return NULL;
    struct waitable_timer *timer =
        object_create(manual ? OBJECT_MANUAL_TIMER : OBJECT_AUTO_TIMER, sizeof *timer);
    if (!timer)
        return NULL;
    timer->due = PLAT_FOREVER;
    timer->timer.fire = fire;
    timer->object.destroy = destroy;
    timer->object.closed = closed;
    return &timer->object;
}

/* Returns the timer, locked to be signalled. NULL: not a handle to a timer. */
static struct waitable_timer *lock_timer(void *handle, struct plat_thread *self, bool *all)
{
    struct object *object = handle_lock_to_signal(handle, self, all);
    if (!object || object->type == OBJECT_AUTO_TIMER || object->type == OBJECT_MANUAL_TIMER)
        return (struct waitable_timer *)object;
    object_unlock_signalled(object, *all);
    return NULL;
}

int waitable_timer_set(void *handle, uint64_t deadline, uint64_t period,
                       void (*apc)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a, uintptr_t b)
{
    struct plat_thread *self = thread_current(), *alert = NULL;
    struct wait *chain = NULL;
    bool all;
    if (!self)
        return 8;
    if (apc)
        object_hold(&self->object); /* for the timer */
    struct waitable_timer *timer = lock_timer(handle, self, &all);
    if (!timer) {
        if (apc)
            object_drop(&self->object);
        return 6;
    }
    stop(timer);
    struct plat_thread *before = timer->thread;
    timer->thread = apc ? self : NULL;
    timer->apc = (struct apc){.fn = apc, .a = a, .b = b, .source = &timer->object};
    timer->object.signal = 0;
    timer->due = deadline;
    timer->period = period;
    if (deadline <= plat_now()) /* signalled when this returns, as on Windows */
        alert = expire(timer, file_time(), &chain);
    if (!timer->held && timer->due != PLAT_FOREVER) { /* else fire() sets it again */
        timer->held = true;
        timer->object.refs++;
        timer->timer.deadline = timer->due;
        timer_add(&timer->timer);
    }
    unlock(timer, all, chain, alert);
    if (before)
        object_drop(&before->object);
    return 0;
}

int waitable_timer_stop(void *handle)
{
    struct plat_thread *self = thread_current();
    bool all;
    if (!self)
        return 8;
    struct waitable_timer *timer = lock_timer(handle, self, &all);
    if (!timer)
        return 6;
    stop(timer);
    object_unlock_signalled(&timer->object, all);
    return 0;
}
