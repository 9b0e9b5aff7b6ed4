/* SPDX-License-Identifier: MIT
 *
 * poller.c - blocked reads and writes of pipes, sockets and their like, from the moment when they
 * block.
 *
 * Most such waits are short, and a worker of the same scheduler ends them: one writes what another
 * reads. So a call that has just blocked is *deferred*: it is only noted. A worker of the lane that
 * writes or sends then attempts the deferred calls again (asking.c). It queues a reader that got
 * its data, and no kernel thread was woken. A scheduler that has nothing to do sleeps on the
 * deferred calls' files (file_sleep.c). A call stops being deferred, and is armed, when the
 * scheduler is about to sleep elsewhere, when younger ones crowd it out, or at the second tick
 * after somebody has looked at it (tick.c).
 *
 * Where asking is in vain, as in a server, only each VERY_RARELY-th call that blocks is deferred,
 * and those that block soon after a file has woken a scheduler that sleeps on files. The others are
 * armed at once.
 *
 * A call on a stream waits until it is ready, and is asked then. That costs less than a request to
 * the ring: the worker itself arms the wait, and need not wake the reactor.
 *
 * watched.c has the armed calls, which hold their file. A deferred call only knows its descriptor's
 * number, so it is armed before the number becomes another file's (poller_hold). Where the process
 * has no descriptor left, or the file cannot be polled, the ring takes the call.
 */
#include <sys/epoll.h>

#include "platform/container_of.h"
#include "platform/linux/calls/bell.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/deferred.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/platform.h"

enum { VERY_RARELY = 256 };
enum { MOST_TAKEN = 2 * MAX_DEFERRED, AGED = 2, AGED_ASLEEP = 10 /* ticks */ };

/* ---- Deferred calls -------------------------------------------------------------------------- */

/* See poller.h. The kernel looks at the file as it arms the wait, so nothing that came meanwhile is
 * missed. The ring takes a wait with a deadline, which it can limit, and one for an epoll instance:
 * in the set that would be a path to each of its files, and the kernel allows five hundred. */
void poller_arm(struct lane *lane, struct call *call)
{
    bool watchable = call->watch.events && !call->watch.nests && call->deadline == PLAT_FOREVER;
    if (watchable && watched_add(lane, call))
        return;
    if (watchable && !watch_polls(call))
        deadline_of_wait(call, (int)call->args[0]);
    lane_post(lane, call, CALL_ARM);
}

static uint64_t number_bit(unsigned number)
{
    return UINT64_C(1) << number % 64;
}

static bool is_chosen(const struct choice *choice, const struct call *call, uint32_t now,
                      uint32_t age)
{
    if (choice->by_number)
        return call->watch.events && (unsigned)call->watch.given_fd >= choice->first &&
               (unsigned)call->watch.given_fd <= choice->last;
    return now - call->futex.born >= age;
}

static bool is_asked(const struct lane *lane, const struct choice *choice)
{
    unsigned asked = lane->deferral.asked;
    return asked && asked - 1 >= choice->first && asked - 1 <= choice->last;
}

/* Whether a scheduler sleeps on calls that no other thread has taken from it. */
bool some_are_slept_on(const struct lane *lane)
{
    for (unsigned i = 0; i < lane->deferral.slept_on_count; i++)
        if (lane->deferral.slept_on[i])
            return true;
    return false;
}

/* With the deferral's lock held. Takes chosen calls from the sleeper, and wakes it: its poll holds
 * their files, which the program may be about to close. */
static unsigned take_slept_on(struct lane *lane, const struct choice *choice, uint32_t now,
                              struct call **taken)
{
    unsigned n = 0;
    for (unsigned i = 0; choice->slept_on && i < lane->deferral.slept_on_count; i++) {
        struct call **place = &lane->deferral.slept_on[i];
        if (!*place || !is_chosen(choice, *place, now, choice->age_asleep))
            continue;
        taken[n++] = *place;
        *place = NULL;
    }
    if (n)
        bell_ring(lane, TOLD_TO_LEAVE);
    return n;
}

unsigned deferred_take(struct lane *lane, const struct choice *choice, struct call **taken)
{
    unsigned kept = 0;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED) &&
        !(choice->slept_on && __atomic_load_n(&lane->deferral.slept_on_count, __ATOMIC_RELAXED)))
        return 0;
    uint32_t now = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    plat_lock(&lane->deferral.lock);
    unsigned n = take_slept_on(lane, choice, now, taken), slept_on = n;
    if (choice->asked)
        *choice->asked = is_asked(lane, choice);
    for (unsigned i = 0; i < lane->deferral.count; i++)
        if ((!choice->most || n < choice->most) &&
            is_chosen(choice, lane->deferral.calls[i], now, choice->age))
            taken[n++] = lane->deferral.calls[i];
        else
            lane->deferral.calls[kept++] = lane->deferral.calls[i];
    if (choice->left_alone)
        *choice->left_alone = n > slept_on;
    __atomic_store_n(&lane->deferral.count, kept, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    return n;
}

/* False: there is no room. */
static bool put_where_room_is(struct lane *lane, struct call *call)
{
    plat_lock(&lane->deferral.lock);
    unsigned n = lane->deferral.count;
    bool room = n < MAX_DEFERRED;
    if (room) {
        __atomic_store_n(&lane->deferral.numbers,
                         lane->deferral.numbers | number_bit((unsigned)call->watch.given_fd),
                         __ATOMIC_RELAXED);
        lane->deferral.calls[n] = call;
        __atomic_store_n(&lane->deferral.count, n + 1, __ATOMIC_RELAXED);
        tick_note_deferred(lane);
    }
    plat_unlock(&lane->deferral.lock);
    return room;
}

void poller_defer_arming(struct lane *lane, struct call *call)
{
    while (!put_where_room_is(lane, call)) {
        plat_lock(&lane->deferral.lock);
        struct call *oldest = lane->deferral.count ? lane->deferral.calls[0] : NULL;
        for (unsigned i = 1; i < lane->deferral.count; i++)
            lane->deferral.calls[i - 1] = lane->deferral.calls[i];
        if (oldest)
            __atomic_store_n(&lane->deferral.count, lane->deferral.count - 1, __ATOMIC_RELAXED);
        plat_unlock(&lane->deferral.lock);
        if (oldest)
            poller_arm(lane, oldest);
    }
}

void deferred_put(struct lane *lane, struct call *call)
{
    if (put_where_room_is(lane, call))
        return;
    plat_lock(&lane->deferral.arming);
    poller_defer_arming(lane, call);
    plat_unlock(&lane->deferral.arming);
}

/* Arms the call; before it the deferred calls of the same number and direction, which came
 * earlier. */
static void queue_up(struct lane *lane, struct call *call)
{
    struct call *taken[MOST_TAKEN];
    unsigned number = (unsigned)call->watch.given_fd;
    struct choice same = {.by_number = true, .slept_on = true, .first = number, .last = number};
    plat_lock(&lane->deferral.arming);
    unsigned n = deferred_take(lane, &same, taken);
    for (unsigned i = 0; i < n; i++)
        if (taken[i]->watch.events == call->watch.events)
            poller_arm(lane, taken[i]);
        else
            poller_defer_arming(lane, taken[i]);
    poller_arm(lane, call);
    plat_unlock(&lane->deferral.arming);
}

/* With the deferral's lock held. The sleeper's poll holds the file, so the sleeper ends the
 * call. */
static bool cancel_slept_on(struct lane *lane, struct call *call)
{
    for (unsigned i = 0; i < lane->deferral.slept_on_count; i++)
        if (lane->deferral.slept_on[i] == call) {
            atomic_store_explicit(&call->cancelled, true, memory_order_release);
            bell_ring(lane, TOLD_TO_LEAVE);
            return true;
        }
    return false;
}

/* See poller.h. */
bool poller_cancel(struct lane *lane, struct call *call, bool *sleeper_does)
{
    plat_lock(&lane->deferral.lock);
    *sleeper_does = cancel_slept_on(lane, call);
    unsigned n = lane->deferral.count, at = 0;
    while (at < n && lane->deferral.calls[at] != call)
        at++;
    for (unsigned i = at; i + 1 < n; i++)
        lane->deferral.calls[i] = lane->deferral.calls[i + 1];
    if (at < n)
        __atomic_store_n(&lane->deferral.count, n - 1, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    return at < n;
}

static void arm_chosen(struct lane *lane, const struct choice *choice)
{
    struct call *taken[MOST_TAKEN];
    plat_lock(&lane->deferral.arming);
    unsigned n = deferred_take(lane, choice, taken);
    for (unsigned i = 0; i < n; i++)
        poller_arm(lane, taken[i]);
    plat_lock(&lane->deferral.lock);
    if (!lane->deferral.count && !lane->deferral.slept_on_count)
        __atomic_store_n(&lane->deferral.numbers, 0, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    plat_unlock(&lane->deferral.arming);
}

/* Sees calls that another thread is just arming, too: their bits in `numbers` are still set. Misses
 * a call that a worker of another scheduler of the lane begins at this moment. Where a scheduler
 * that slept on the file is just asking the call, waits for the end of that. Does nothing in the
 * child of a vfork, which has the parent's calls. Signals are blocked: a handler might close
 * descriptors, and want the same locks. */
void poller_hold(struct lane *lane, unsigned first, unsigned last)
{
    bool asked = false;
    struct choice choice = {
        .by_number = true, .slept_on = true, .asked = &asked, .first = first, .last = last};
    uint64_t wanted = first == last ? number_bit(first) : ~UINT64_C(0);
    sigset_t mask;
    if (!(__atomic_load_n(&lane->deferral.numbers, __ATOMIC_RELAXED) & wanted) ||
        own_process_is_another())
        return;
    signals_block(&mask);
    do {
        asked = false;
        arm_chosen(lane, &choice);
        if (asked) {
            plat_lock(&lane->readiness.serving);
            plat_unlock(&lane->readiness.serving);
        }
    } while (asked);
    signals_restore(&mask);
}

/* On the timer thread. Stops when no call is left, and none was deferred since the last tick. */
static void tick(struct plat_timer *timer)
{
    struct lane *lane = CONTAINER_OF(timer, struct lane, deferral.tick);
    bool left = futex_table_age(lane), left_alone = false;
    /* To arm a wait that a worker would end, and to wake the poller, costs as much as several such
     * waits. After two ticks such a wait is over. A sleeper looks by itself, unless it has been
     * taken out of its sleep for other things. */
    arm_chosen(lane, &(struct choice){.slept_on = true,
                                      .left_alone = &left_alone,
                                      .age = AGED,
                                      .age_asleep = AGED_ASLEEP});
    plat_lock(&lane->deferral.lock);
    tick_again(lane, left, some_are_slept_on(lane), left_alone);
    plat_unlock(&lane->deferral.lock);
}

static bool is_deferred_in_vain(struct lane *lane)
{
    if (__atomic_load_n(&lane->deferral.fruitless, __ATOMIC_RELAXED) < PATIENCE)
        return false;
    unsigned worth = __atomic_load_n(&lane->deferral.worth_waiting, __ATOMIC_RELAXED);
    if (worth) {
        __atomic_store_n(&lane->deferral.worth_waiting, worth - 1, __ATOMIC_RELAXED);
        return false;
    }
    unsigned waits = __atomic_fetch_add(&lane->deferral.fruitless_waits, 1, __ATOMIC_RELAXED);
    return waits % VERY_RARELY != 0;
}

bool poller_watch(struct lane *lane, struct call *call)
{
    if (!call->entry->ops->readiness)
        return false;
    call->futex.born = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    bool behind = !watch_polls(call) && queue_likely(lane, call);
    if (call->watch.events && (behind || is_deferred_in_vain(lane)))
        queue_up(lane, call);
    else
        deferred_put(lane, call);
    return true;
}

void poller_init(struct lane *lane)
{
    lane->deferral.tick.fire = tick;
}

/* Blocks signals: a handler on this thread may begin calls, and would want the same locks. */
void poller_arm_all(struct lane *lane)
{
    sigset_t mask;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED))
        return;
    signals_block(&mask);
    arm_chosen(lane, &(struct choice){.age = 0});
    signals_restore(&mask);
}
