/* SPDX-License-Identifier: MIT
 *
 * poller_thread.c - the poller: it sleeps in the lane's epoll set and serves what comes while no
 * scheduler does (watched.c).
 *
 * A poller that woke for each event, took the processor from the scheduler and slept again would
 * cost more than its work does. So where the scheduler has not slept since the poller's last turn,
 * the poller rests after it has served, for REST at most: the scheduler could do nothing yet with a
 * worker that arrives. A scheduler that falls asleep, and not in the set, wakes the poller:
 *     poller       resting = 1;     then: is the scheduler awake? rest
 *     scheduler    awake = false;   then: does the poller rest? wake it
 * The poller rests, too, while a scheduler polls the set beside files (file_sleep.c): each event
 * wakes that scheduler as well. Where several schedulers share the lane, `awake` tells of the one
 * that fell asleep or woke last.
 */
#include "platform/linux/calls/watched.h"

#include <sys/epoll.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { REST = 300000 }; /* ns */

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

static void rest_while(struct lane *lane, const _Atomic bool *so)
{
    atomic_store_explicit(&lane->readiness.resting, 1, memory_order_seq_cst);
    if (atomic_load_explicit(so, memory_order_seq_cst))
        futex_wait_until(&lane->readiness.resting, 1, plat_now() + REST);
    atomic_store_explicit(&lane->readiness.resting, 0, memory_order_relaxed);
}

static void rest(struct lane *lane)
{
    uint32_t slept = lane->readiness.slept_before;
    lane->readiness.slept_before =
        atomic_load_explicit(&lane->readiness.slept, memory_order_relaxed);
    if (slept == lane->readiness.slept_before &&
        atomic_load_explicit(&lane->readiness.awake, memory_order_relaxed))
        rest_while(lane, &lane->readiness.awake);
    else if (atomic_load_explicit(&lane->readiness.set_polled, memory_order_relaxed))
        rest_while(lane, &lane->readiness.set_polled);
}

void *poller_main(void *arg)
{
    kthread_name("ums:poller");
    struct lane *lane = arg;
    lane_bind(lane);
    policy_rises();
    for (;;) {
        struct epoll_event events[SET_EVENTS];
        long n = watched_take(lane, events, -1);
        if (call_was_refused(n))
            break;
        plat_lock(&lane->readiness.serving);
        bool kicked = watched_serve(lane, events, n);
        plat_unlock(&lane->readiness.serving);
        if (kicked && watched_kick_on(lane))
            rest_while(lane, &lane->readiness.slept_in);
        else
            rest(lane);
    }
    watched_stop(lane);
    policy_ends();
    return NULL;
}
