/* SPDX-License-Identifier: MIT
 *
 * pool_timer.c - items whose callback a timer asks for.
 *
 * If the time has come already, the thread that sets the timer asks for the callback itself, before
 * another thread can stop it: so "at once" is no race with the timer thread.
 *
 * Another thread may set a timer anew or stop it while it is about to fire. Then the timer thread
 * finds in `due`, under the pool's lock, what it is to do.
 */
#include "platform/container_of.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/pool/pool_parts.h"

/* Under the lock: asks for the callback that is due, and sets the next time. */
static void expire(struct pool_timer *timer, uint64_t now)
{
    pool_submit_locked(&timer->item, true);
    /* Periods that a stopped machine missed are not made up for. */
    uint64_t next = timer->due + timer->period;
    timer->spent = !timer->period;
    timer->due = timer->spent ? PLAT_FOREVER : next > now ? next : now + timer->period;
}

static void fire(struct plat_timer *plat)
{
    struct pool_timer *timer = CONTAINER_OF(plat, struct pool_timer, timer);
    struct pool *pool = timer->item.pool;
    uint64_t now = plat_now();
    plat_lock(&pool->lock);
    if (timer->due <= now)
        expire(timer, now);
    if (timer->due == PLAT_FOREVER) {
        timer->held = false;
        if (pool_item_unref(&timer->item))
            pool_end_later(&timer->item);
    } else {
        timer->timer.deadline = timer->due;
        timer_add(&timer->timer);
    }
    pool_unlock_attend(pool);
}

/* Under the lock. True: the timer was set, and its callback does not come any more. */
static bool set(struct pool_timer *timer, uint64_t due, uint64_t period)
{
    bool was_set = timer->held;
    bool ours = !timer->held || timer_cancel(&timer->timer); /* else it is about to be fired */
    uint64_t now = due == PLAT_FOREVER ? 0 : plat_now();
    timer->spent = false;
    timer->due = due;
    timer->period = period;
    if (due <= now)
        expire(timer, now);
    if (ours && timer->due != PLAT_FOREVER) {
        timer->item.refs += !timer->held;
        timer->held = true;
        timer->timer.deadline = timer->due;
        timer_add(&timer->timer);
    } else if (ours && timer->held) {
        timer->held = false;
        timer->item.refs--; /* not the last: the caller has one */
    }
    return was_set && ours;
}

bool pool_timer_set(struct pool_timer *timer, uint64_t due, uint64_t period)
{
    plat_lock(&timer->item.pool->lock);
    bool taken_back = set(timer, due, period);
    pool_unlock_attend(timer->item.pool);
    return taken_back;
}

void pool_timer_change(struct pool_timer *timer, uint64_t due, uint64_t period)
{
    plat_lock(&timer->item.pool->lock);
    if (!timer->spent)
        set(timer, due, period);
    pool_unlock_attend(timer->item.pool);
}

static void stop(struct pool_item *item)
{
    pool_timer_set((struct pool_timer *)item, PLAT_FOREVER, 0);
}

int pool_timer_init(struct pool_timer *timer, struct pool *pool, struct pool_group *group)
{
    timer->due = PLAT_FOREVER;
    timer->timer.fire = fire;
    timer->item.stop = stop;
    return pool_item_init(&timer->item, pool, group);
}
