/* SPDX-License-Identifier: MIT
 *
 * poller_thread.c - the poller: it sleeps in the lane's epoll set and serves what comes while no
 * scheduler does (watched.c).
 *
 * While others serve, the poller is of use only if they are late, and each of its turns takes the
 * processor twice. Others serve while a scheduler is awake, for it serves before it sleeps, while
 * one sleeps in the set, and while one polls the set beside files (file_sleep.c). So the
 * poller rests after a turn that came soon after the one before it. It rests for FIRST_REST. If a
 * scheduler has fallen asleep meanwhile, the poller rests again, for longer. Else the scheduler is
 * busy, or everything is quiet, and the poller goes back into the set. After a turn that came alone
 * it goes back at once: the scheduler that this turn woke comes behind it, and gets the next event
 * itself.
 *
 * A scheduler that falls asleep, and not in the set, wakes the poller:
 *     poller       resting = 1;        then: do others serve? rest
 *     scheduler    awake = false,      then: does the poller rest? wake it
 *                  or slept_in_files
 * Where several schedulers share the lane, `awake` tells of the one that fell asleep or woke last.
 */
#include "platform/linux/calls/watched.h"

#include <sys/epoll.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { SOON = 1000000, FIRST_REST = 300000, LONGEST_REST = 1200000 }; /* ns, each */

void watched_sleeps_elsewhere(struct lane *lane)
{
    if (atomic_load_explicit(&lane->readiness.resting, memory_order_seq_cst) &&
        atomic_exchange_explicit(&lane->readiness.resting, 0, memory_order_relaxed))
        futex_wake(&lane->readiness.resting, 1);
}

void watched_after_sleep(struct lane *lane)
{
    if (!atomic_load_explicit(&lane->readiness.awake, memory_order_relaxed))
        atomic_store_explicit(&lane->readiness.awake, true, memory_order_relaxed);
}

static bool others_serve(const struct lane *lane)
{
    if (atomic_load_explicit(&lane->readiness.awake, memory_order_seq_cst))
        return true;
    if (atomic_load_explicit(&lane->readiness.slept_in_files, memory_order_seq_cst))
        return atomic_load_explicit(&lane->readiness.set_polled, memory_order_relaxed);
    return atomic_load_explicit(&lane->readiness.slept_in, memory_order_seq_cst);
}

/* False: others do not serve, or have just ceased to. */
static bool rest_for(struct lane *lane, uint64_t time)
{
    atomic_store_explicit(&lane->readiness.resting, 1, memory_order_seq_cst);
    bool rests = others_serve(lane);
    if (rests)
        futex_wait_until(&lane->readiness.resting, 1, plat_now() + time);
    return atomic_exchange_explicit(&lane->readiness.resting, 0, memory_order_relaxed) && rests;
}

static void rest(struct lane *lane)
{
    uint32_t before, now = atomic_load_explicit(&lane->readiness.slept, memory_order_relaxed);
    uint64_t time = FIRST_REST;
    do {
        before = now;
        if (!rest_for(lane, time))
            return;
        now = atomic_load_explicit(&lane->readiness.slept, memory_order_relaxed);
        if (time < LONGEST_REST)
            time *= 2;
    } while (now != before);
}

/* Whether the turn that begins now comes soon after the one before it. */
static bool comes_soon(uint64_t *last)
{
    uint64_t before = *last;
    *last = plat_now();
    return *last - before < SOON;
}

void *poller_main(void *arg)
{
    kthread_name("ums:poller");
    struct lane *lane = arg;
    lane_bind(lane);
    policy_rises();
    uint64_t last = 0;
    for (;;) {
        struct epoll_event events[SET_EVENTS];
        long n = watched_take(lane, events, -1);
        if (call_was_refused(n))
            break;
        plat_lock(&lane->readiness.serving);
        bool kicked = watched_serve(lane, events, n);
        plat_unlock(&lane->readiness.serving);
        bool soon = comes_soon(&last);
        if ((kicked && watched_kick_on(lane)) || soon)
            rest(lane);
    }
    watched_stop(lane);
    policy_ends();
    return NULL;
}
