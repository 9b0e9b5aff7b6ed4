/* SPDX-License-Identifier: MIT
 *
 * file_sleep.c - a scheduler that has nothing to do sleeps on the files that its deferred calls
 * wait for (poller.c), by one poll of them all and of the lane's set.
 *
 * To arm a wait takes a duplicate of its descriptor, a look at it and a place in the set, all of
 * which is undone when the wait is over; an epoll instance is armed by the reactor in the ring,
 * which wakes that thread twice. Most waits are over sooner than two ticks. For them nothing is
 * armed: the kernel's poll finds their files by the numbers that the calls know them by.
 *
 * Whose a call is
 *     deferred -> slept on     the sleeper's, before it sleeps
 *     slept on -> deferred     the sleeper's, when it is awake and the file is not ready
 *     slept on -> over         alike, where the call is cancelled
 *     slept on -> asked        alike, where the file is ready
 *     asked -> over            the sleeper's
 *     asked -> armed           alike, where the call has to wait all the same: it does not spin
 *     slept on -> another's    which arms it: at the second tick, before its number becomes
 *                              another file's (poller_hold), or because a younger call for the
 *                              same file is armed
 * Each is a change under the deferral's lock. The sleeper has the lock of those who arm while it
 * puts calls where they belong, but not while it asks one: the attempt uses the program's memory,
 * which may fault and wait. One who gives away the number that is asked waits for the end of that,
 * by the lock `serving`, which the sleeper has then.
 *
 * poll has the files while it sleeps: a file that the program closes meanwhile would not be closed.
 * So a call is over only when the sleeper has left poll, or is told to: whoever takes a call away
 * rings the bell, and one that cancels a call leaves the rest to the sleeper.
 *
 * The set is among the files: what is armed there wakes the sleeper, and the poller as well, for it
 * is poll that waits for the set and not epoll_wait. Where that happens time and again, or waits
 * last longer than two ticks, it sleeps in the set for MANY times, which costs less.
 */
#include "platform/linux/calls/file_sleep.h"

#include <errno.h>
#include <sys/epoll.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum {
    IN_VAIN = 4,
    MANY = 64,
    WORTH = 16,    /* calls that are deferred after a sleep that was right */
    SOON = 2000000 /* ns: the ring ends a wait in time, and a call is asked at a tick at best */
};

/* poll has the bits of epoll. */
static bool may_be_slept_on(const struct call *call, uint64_t now)
{
    return call->watch.events && (call->deadline == PLAT_FOREVER || call->deadline > now + SOON);
}

/* The counts are the sleeper's. */
static bool is_worth_it(struct lane *lane)
{
    if (lane->readiness.bell_fd < 0 || lane->readiness.files_refused)
        return false;
    if (!lane->deferral.sleeps_to_skip)
        return true;
    lane->deferral.sleeps_to_skip--;
    return false;
}

unsigned file_sleep_begin(struct lane *lane, struct pollfd *files)
{
    struct call *others[MAX_DEFERRED];
    unsigned other = 0, n = 0;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED))
        return 0;
    uint64_t now = plat_now();
    plat_lock(&lane->deferral.arming);
    plat_lock(&lane->deferral.lock);
    bool worth_it = is_worth_it(lane);
    for (unsigned i = 0; i < lane->deferral.count; i++) {
        struct call *call = lane->deferral.calls[i];
        if (!worth_it || !may_be_slept_on(call, now)) {
            others[other++] = call;
            continue;
        }
        files[FILES_OF_CALLS + n] =
            (struct pollfd){call->watch.given_fd, (short)call->watch.events, 0};
        lane->deferral.slept_on[n++] = call;
    }
    __atomic_store_n(&lane->deferral.count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.slept_on_count, n, __ATOMIC_RELAXED);
    lane->deferral.sleeper_told = false;
    plat_unlock(&lane->deferral.lock);
    for (unsigned i = 0; i < other; i++)
        poller_arm(lane, others[i]);
    plat_unlock(&lane->deferral.arming);
    files[FILE_OF_BELL] = (struct pollfd){lane->readiness.bell_fd, POLLIN, 0};
    files[FILE_OF_SET] = (struct pollfd){lane->epoll, POLLIN, 0};
    return n ? FILES_OF_CALLS + n : 0;
}

long file_sleep(struct lane *lane, struct pollfd *files, unsigned count, const sigset_t *open)
{
    long n = RAW5(SYS_ppoll, files, count, NULL, open, 8);
    /* Also EINVAL: the program may have lowered its limit of files below this many. */
    if (n < 0 && n != -EINTR)
        lane->readiness.files_refused = true;
    if (n < 0)
        for (unsigned i = 0; i < count; i++)
            files[i].revents = 0;
    return n;
}

/* Under the lock of those who arm. Leaves the calls whose files are ready. True: somebody has told
 * the sleeper to leave its sleep. From here on that is needless. */
static bool take_back(struct lane *lane, const struct pollfd *files)
{
    struct call *others[MAX_DEFERRED];
    unsigned other = 0, ready = 0;
    plat_lock(&lane->deferral.lock);
    bool told = lane->deferral.sleeper_told;
    lane->deferral.sleeper_told = true;
    for (unsigned i = 0; i < lane->deferral.slept_on_count; i++) {
        struct call *call = lane->deferral.slept_on[i];
        if (call && files[FILES_OF_CALLS + i].revents)
            lane->deferral.slept_on[ready++] = call;
        else if (call)
            others[other++] = call;
    }
    __atomic_store_n(&lane->deferral.slept_on_count, ready, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    for (unsigned i = 0; i < other; i++)
        if (atomic_load_explicit(&others[i]->cancelled, memory_order_acquire))
            call_interrupt(others[i]);
        else
            poller_defer_arming(lane, others[i]);
    return told;
}

/* The call that is asked next, if it is not another's by now. The last one is where it belongs.
 * False: there are no more. */
static bool take_ready(struct lane *lane, unsigned which, struct call **call)
{
    plat_lock(&lane->deferral.lock);
    bool more = which < lane->deferral.slept_on_count;
    *call = more ? lane->deferral.slept_on[which] : NULL;
    lane->deferral.asked = *call ? (unsigned)(*call)->watch.given_fd + 1 : 0;
    if (more)
        lane->deferral.slept_on[which] = NULL;
    else
        __atomic_store_n(&lane->deferral.slept_on_count, 0, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    return more;
}

/* True: it is over, or has had a part of what it waits for. */
static bool ask_one(struct lane *lane, struct call *call)
{
    long before = call->progress;
    enum outcome outcome = call->entry->ops->attempt(call);
    bool had_something = outcome != CALL_WAIT || call->progress != before;
    if (outcome == CALL_DONE) {
        call_complete(call, call->result);
    } else if (outcome != CALL_WAIT) {
        helper_submit(call);
    } else {
        plat_lock(&lane->deferral.arming);
        if (had_something)
            poller_defer_arming(lane, call);
        else
            poller_arm(lane, call);
        plat_unlock(&lane->deferral.arming);
    }
    return had_something;
}

static bool ask_ready(struct lane *lane)
{
    struct call *call;
    bool had_something = false;
    for (unsigned i = 0; take_ready(lane, i, &call); i++)
        if (call && atomic_load_explicit(&call->cancelled, memory_order_acquire))
            call_interrupt(call);
        else if (call)
            had_something |= ask_one(lane, call);
    return had_something;
}

static void learn(struct lane *lane, bool had_something, bool in_vain)
{
    if (had_something) {
        lane->deferral.vain_sleeps = 0;
        __atomic_store_n(&lane->deferral.worth_waiting, WORTH, __ATOMIC_RELAXED);
    } else if (in_vain && ++lane->deferral.vain_sleeps >= IN_VAIN) {
        lane->deferral.vain_sleeps = 0;
        lane->deferral.sleeps_to_skip = MANY;
    }
}

void file_sleep_over(struct lane *lane, const struct pollfd *files)
{
    struct epoll_event events[SET_EVENTS];
    uint64_t rung;
    if (files[FILE_OF_BELL].revents)
        RAW3(SYS_read, lane->readiness.bell_fd, &rung, sizeof rung);
    plat_lock(&lane->deferral.arming);
    bool told = take_back(lane, files);
    plat_unlock(&lane->deferral.arming);
    learn(lane, ask_ready(lane), files[FILE_OF_SET].revents || told);
    if (files[FILE_OF_SET].revents)
        watched_serve(lane, events, watched_take(lane, events, 0));
}
