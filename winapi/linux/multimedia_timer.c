/* SPDX-License-Identifier: MIT
 *
 * multimedia_timer.c - winmm's timers, which programs know by number.
 *
 * A pool of one thread makes all callbacks, one after the other, as winmm's own thread does.
 *
 * timeSetEvent puts a timer into the list, and its number is good as long as it is there.
 * timeKillEvent takes it out; a timer that fires once is taken out when its callback has returned.
 * The thread that takes it out, under the list's lock, closes it. From then on only the pool has a
 * pointer to it.
 */
#include <stdlib.h>

#include "platform/linux/pool/pool.h"
#include "winapi/linux/multimedia_time.h"

enum { ACTS_ON_EVENT = TIME_CALLBACK_EVENT_SET | TIME_CALLBACK_EVENT_PULSE };

struct numbered_timer {
    struct pool_timer timer; /* must be first */
    struct numbered_timer *next;
    UINT number, flags;
    LPTIMECALLBACK callback;
    DWORD_PTR user;
    void *event; /* a handle of its own, as the program may close the one that it gave */
};

static PLAT_LOCK(NUMBERED) list_lock; /* also held while a new timer is set and put into the list */
static struct numbered_timer *list;
static UINT last_number;
static _Atomic(struct pool *) one_thread;
static __thread struct numbered_timer *called __attribute__((tls_model("initial-exec")));

/* The pool of one thread. NULL: no memory. */
static struct pool *timers_pool(void)
{
    struct pool *pool = atomic_load_explicit(&one_thread, memory_order_acquire);
    if (pool)
        return pool;
    struct pool *fresh = pool_create();
    if (!fresh)
        return NULL;
    pool_set_maximum(fresh, 1);
    if (atomic_compare_exchange_strong_explicit(&one_thread, &pool, fresh, memory_order_acq_rel,
                                                memory_order_acquire))
        return fresh;
    pool_close(fresh);
    return pool;
}

/* The caller has the lock. The timer's place in the list, or the list's end. */
static struct numbered_timer **place_of(UINT number)
{
    struct numbered_timer **link = &list;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

/* Takes a timer out of the list. NULL: it is not there. */
static struct numbered_timer *take_out(UINT number)
{
    plat_lock(&list_lock);
    struct numbered_timer **link = place_of(number), *timer = *link;
    if (timer)
        *link = timer->next;
    plat_unlock(&list_lock);
    return timer;
}

static void run(struct pool_item *item, struct pool_call *call)
{
    struct numbered_timer *timer = (struct numbered_timer *)item;
    (void)call;
    if (timer->flags & TIME_CALLBACK_EVENT_SET) {
        SetEvent(timer->event);
    } else if (timer->flags & TIME_CALLBACK_EVENT_PULSE) {
        PulseEvent(timer->event);
    } else {
        called = timer;
        timer->callback(timer->number, 0, timer->user, 0, 0);
        called = NULL;
    }
    if (!(timer->flags & TIME_PERIODIC) && take_out(timer->number))
        pool_item_close(item, NULL);
}

static void destroy(struct pool_item *item)
{
    struct numbered_timer *timer = (struct numbered_timer *)item;
    if (timer->event)
        CloseHandle(timer->event);
    free(timer);
}

/* Another handle to the same event. NULL: the handle is no event's. */
static void *event_again(HANDLE handle)
{
    void *again = NULL;
    struct object *object = win__object(handle);
    if (!object)
        return NULL;
    if (object_is_event(object))
        handle_create(object, &again);
    object_drop(object);
    return again;
}

static bool prepare(struct numbered_timer *timer, struct pool *pool, LPTIMECALLBACK callback)
{
    if (!(timer->flags & ACTS_ON_EVENT))
        timer->callback = callback;
    else if (!(timer->event = event_again((HANDLE)callback)))
        return false;
    timer->timer.item.run = run;
    timer->timer.item.destroy = destroy;
    if (!pool_timer_init(&timer->timer, pool, NULL))
        return true;
    if (timer->event)
        CloseHandle(timer->event);
    return false;
}

MMRESULT WINAPI timeSetEvent(UINT uDelay, UINT uResolution, LPTIMECALLBACK lpTimeProc,
                             DWORD_PTR dwUser, UINT fuEvent)
{
    const UINT known = TIME_PERIODIC | ACTS_ON_EVENT | TIME_KILL_SYNCHRONOUS;
    (void)uResolution; /* time-outs do not depend on a tick */
    if (!win__known_period(uDelay) || !lpTimeProc || fuEvent & ~known ||
        (fuEvent & ACTS_ON_EVENT) == ACTS_ON_EVENT)
        return 0;
    struct pool *pool = timers_pool();
    struct numbered_timer *timer = pool ? calloc(1, sizeof *timer) : NULL;
    if (!timer)
        return 0;
    timer->flags = fuEvent;
    timer->user = dwUser;
    if (!prepare(timer, pool, lpTimeProc)) {
        free(timer);
        return 0;
    }
    plat_lock(&list_lock);
    do
        last_number++;
    while (!last_number || *place_of(last_number));
    UINT number = timer->number = last_number;
    timer->next = list;
    list = timer;
    pool_timer_set(&timer->timer, win__deadline(uDelay),
                   fuEvent & TIME_PERIODIC ? (uint64_t)uDelay * 1000000u : 0);
    plat_unlock(&list_lock);
    return number;
}

/* A callback that has not begun is not made any more. */
MMRESULT WINAPI timeKillEvent(UINT uTimerID)
{
    struct numbered_timer *timer = take_out(uTimerID);
    if (!timer)
        return MMSYSERR_INVALPARAM;
    struct pool_item *item = &timer->timer.item;
    pool_timer_set(&timer->timer, PLAT_FOREVER, 0);
    pool_cancel(item);
    if (timer->flags & TIME_KILL_SYNCHRONOUS && called != timer)
        pool_wait_idle(item);
    pool_item_close(item, NULL);
    return TIMERR_NOERROR;
}

void multimedia_timers_forget(void)
{
    plat_lock_forget(&list_lock);
    list = NULL;
}
