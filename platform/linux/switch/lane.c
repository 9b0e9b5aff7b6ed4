/* SPDX-License-Identifier: MIT
 *
 * lane.c - functions on a lane that any thread may call: to host schedulers, to leave calls with
 * its reactor, to keep to its processor.
 */
#include "platform/check.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/switch/lane_parts.h"

enum { LOW_WATER = 2 };

void lane_bind(const struct lane *lane)
{
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(lane->cpu, &cpu);
    RAW3(SYS_sched_setaffinity, 0, sizeof cpu, &cpu);
}

/* ---- Hosting schedulers ---------------------------------------------------------------------- */

static void wake_spawner(struct lane *lane)
{
    if (!atomic_exchange_explicit(&lane->hosting.spawner_word, 1, memory_order_acq_rel))
        futex_wake(&lane->hosting.spawner_word, 1);
}

/* Takes an idle carrier for the scheduler. NULL: there is none. Then the scheduler waits for one,
 * and may run on it before this returns. The caller calls lane_assign next in both cases. */
struct carrier *lane_reserve(struct lane *lane, struct plat_context *scheduler)
{
    plat_lock(&lane->hosting.lock);
    struct carrier *carrier = lane->hosting.idle;
    if (carrier) {
        lane->hosting.idle = carrier->next_idle;
        lane->hosting.idle_count--;
    } else {
        scheduler->runs.next = NULL;
        *lane->hosting.starving_end = scheduler;
        lane->hosting.starving_end = &scheduler->runs.next;
        lane->hosting.starving_count++;
    }
    plat_unlock(&lane->hosting.lock);
    return carrier;
}

void lane_assign(struct lane *lane, struct carrier *carrier, struct plat_context *scheduler)
{
    if (carrier) {
        carrier->assigned = scheduler;
        atomic_store_explicit(&carrier->word, 1, memory_order_release);
        futex_wake(&carrier->word, 1);
    }
    if (__atomic_load_n(&lane->hosting.idle_count, __ATOMIC_RELAXED) < LOW_WATER)
        wake_spawner(lane);
}

void lane_host(struct lane *lane, struct plat_context *scheduler)
{
    lane_assign(lane, lane_reserve(lane, scheduler), scheduler);
}

bool lane_unhost(struct lane *lane, struct plat_context *scheduler, struct plat_context *worker)
{
    bool found = false;
    if (!lane || !__atomic_load_n(&lane->hosting.starving, __ATOMIC_RELAXED))
        return false;
    plat_lock(&lane->hosting.lock);
    for (struct plat_context **link = &lane->hosting.starving; *link; link = &(*link)->runs.next) {
        if (*link != scheduler || scheduler->blocked_by != worker)
            continue;
        *link = scheduler->runs.next;
        if (!*link)
            lane->hosting.starving_end = link;
        lane->hosting.starving_count--;
        found = true;
        break;
    }
    plat_unlock(&lane->hosting.lock);
    return found;
}

/* Tells idle_watch at which carrier to look. Schedulers with the same place replace each other. It
 * leaves out a carrier that is not bound to the lane's processor: its sleep does not show that this
 * processor is idle. */
void lane_show(const struct plat_context *scheduler)
{
    struct lane *lane = scheduler->lane;
    const struct carrier *carrier = scheduler->runs.carrier;
    if (!carrier ||
        UMS_LIKELY(!atomic_load_explicit(&lane->idle_watch.watched_over, memory_order_acquire)))
        return;
    bool shown =
        CPU_ISSET(lane->cpu, &scheduler->runs.allowed) && !atomic_load(&scheduler->runs.asleep);
    atomic_store(&lane->idle_watch.shown[scheduler->number % LANE_SHOWS], shown ? carrier->tid : 0);
    if (shown && atomic_load(&lane->idle_watch.waits) &&
        atomic_exchange(&lane->idle_watch.waits, 0))
        futex_wake(&lane->idle_watch.waits, 1);
}

/* ---- Calls for the reactor ------------------------------------------------------------------- */

/* Gives the call to the reactor. The call's baton is posted when the call is over. */
void lane_post(struct lane *lane, struct call *call, int how)
{
    call->how = (uint8_t)how;
    struct call *head = atomic_load_explicit(&lane->inbox, memory_order_relaxed);
    do
        call->next = head;
    while (!atomic_compare_exchange_weak_explicit(&lane->inbox, &head, call, memory_order_release,
                                                  memory_order_relaxed));
    if (!head) {
        uint64_t one = 1;
        RAW3(SYS_write, lane->wake_fd, &one, sizeof one);
    }
}

void lane_cancel(struct lane *lane, struct call *call)
{
    uint64_t one = 1;
    if (!lane->have_ring ||
        atomic_exchange_explicit(&call->futex.in_cancel_queue, 1, memory_order_acq_rel))
        return;
    struct call *head = atomic_load_explicit(&lane->cancelled, memory_order_relaxed);
    do
        call->futex.next_cancelled = head;
    while (!atomic_compare_exchange_weak_explicit(&lane->cancelled, &head, call,
                                                  memory_order_release, memory_order_relaxed));
    RAW3(SYS_write, lane->wake_fd, &one, sizeof one);
}
