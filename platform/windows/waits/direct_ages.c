/* SPDX-License-Identifier: MIT
 *
 * direct_ages.c - see direct_ages.h. Place 0 of the roll is unused.
 */
#include "platform/windows/waits/direct_ages.h"

#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/growing.h"
#include "platform/windows/waits/user_wait.h"

enum { MOST = 1 << 18, CHUNK = 8 << 10 }; /* as for deadlines */
enum { AT_ONCE = 64 };                    /* places looked at before another thread gets the lock */

static struct plat_lock lock; /* taken after all other locks */
static struct plat_context **roll;
static struct growing places = {.size = sizeof *roll, .most = MOST + CHUNK, .chunk = CHUNK};
static uint32_t count;

static bool make_room(void)
{
    bool room = growing_reaches(&places, count + 1);
    roll = places.start;
    return room;
}

enum roll direct_ages_enter(struct plat_context *worker)
{
    enum roll what = ROLL_IS_ON;
    atomic_store_explicit(&worker->wait.tick, agenda_ticks(), memory_order_relaxed);
    if (UMS_LIKELY(atomic_load(&worker->wait.roll)))
        return what;
    plat_lock(&lock);
    if (!atomic_load_explicit(&worker->wait.roll, memory_order_relaxed)) {
        what = make_room() ? ROLL_JOINED : ROLL_NO_MEMORY;
        if (what == ROLL_JOINED) {
            roll[++count] = worker;
            atomic_store_explicit(&worker->wait.roll, count, memory_order_relaxed);
        }
    }
    plat_unlock(&lock);
    return what;
}

void direct_ages_tick(void)
{
    plat_lock(&wait_lock);
    bool wake = agenda_tick();
    plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
}

bool direct_ages_any(void)
{
    plat_lock(&lock);
    bool any = count > 0;
    plat_unlock(&lock);
    return any;
}

static bool is_direct(struct plat_context *worker)
{
    return atomic_load(&worker->wait.how) == WAIT_DIRECT;
}

/* With the lock held. The worker at the last place moves to this one. */
static void strike_off(uint32_t place)
{
    struct plat_context *last = roll[count];
    roll[place] = last;
    if (atomic_load_explicit(&last->wait.roll, memory_order_relaxed) == count)
        atomic_store_explicit(&last->wait.roll, place, memory_order_relaxed);
    count--;
}

/* Clears the worker's place. False: it has begun to wait directly meanwhile, and keeps the
 * place. */
static bool leaves(struct plat_context *worker, uint32_t place)
{
    atomic_exchange(&worker->wait.roll, 0);
    if (!is_direct(worker))
        return true;
    atomic_store_explicit(&worker->wait.roll, place, memory_order_relaxed);
    return false;
}

/* With the lock held. True: the worker at the place was struck off. Else `old` says whether it may
 * have waited since `tick` or before. That is a guess, since the caller does not hold its record's
 * lock. */
static bool look(uint32_t place, uint32_t tick, bool *old)
{
    struct plat_context *worker = roll[place];
    *old = false;
    if (atomic_load_explicit(&worker->wait.roll, memory_order_relaxed) == place) {
        *old =
            (int32_t)(tick - atomic_load_explicit(&worker->wait.tick, memory_order_relaxed)) >= 0;
        if (!*old || is_direct(worker) || !leaves(worker, place))
            return false;
    }
    strike_off(place);
    return true;
}

void direct_ages_call(uint32_t tick)
{
    plat_lock(&lock);
    for (uint32_t place = 1; place <= count;) {
        bool old;
        if (look(place, tick, &old))
            continue;
        struct plat_context *worker = roll[place++];
        if (!old && place % AT_ONCE)
            continue;
        plat_unlock(&lock); /* direct_give_up takes the record's lock, which is to be taken before
                             * this one */
        if (old)
            direct_give_up(worker, tick);
        plat_lock(&lock);
    }
    plat_unlock(&lock);
}
