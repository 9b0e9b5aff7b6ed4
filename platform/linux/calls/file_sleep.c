/* SPDX-License-Identifier: MIT
 *
 * file_sleep.c - a scheduler that has nothing to do sleeps on the files that its deferred calls
 * wait for (poller.c), by one poll of them all, of a bell, and of the lane's set if a call is armed
 * there.
 *
 * To arm a wait takes a duplicate of its descriptor, a look at the duplicate and a place in the
 * set. All of it is undone when the wait is over. The reactor arms a wait for an epoll instance in
 * the ring, which wakes the reactor twice. Most waits are over sooner than two ticks. For them
 * nothing is armed: the kernel's poll finds their files by the program's descriptor numbers. A wait
 * whose file the sleeper has just polled is young again: the ticks count from there.
 *
 * Each step of a call, who makes it, and when. To ask a call is to attempt it again; where the call
 * waits for events only (watch_polls), to answer it with those of the sleeper's poll.
 *     deferred -> slept on     the sleeper, before it sleeps
 *     slept on -> deferred     the sleeper, awake again, if the file is not ready
 *     slept on -> over         the sleeper, if the call is cancelled
 *     slept on -> asked        the sleeper, if the file is ready
 *     asked -> over            the sleeper
 *     asked -> deferred        the sleeper, if the call has got a part of what it waits for
 *     asked -> armed           the sleeper, if the call has got nothing: it must not spin
 *     slept on -> armed        another thread: at the tenth tick, before the number becomes
 *                              another file's (poller_hold), or because a younger call for the
 *                              same file is armed
 * Each step is made under the deferral's lock. The sleeper also holds the lock `arming` while it
 * puts calls where they belong, but not while it asks one: the attempt uses the program's memory,
 * which may fault and wait. A thread that gives away the number of a call that is being asked waits
 * for the end of the attempt: it takes the lock `serving`, which the sleeper holds then.
 *
 * One scheduler of the lane sleeps on files. Another one with nothing to do leaves its calls
 * deferred and sleeps in a futex (file_sleep_join). To arm each of them and have the poller serve
 * it would cost more than a wake-up of the sleeper, which then polls their files as well. Should
 * the sleeper find work instead, and do it for long, the second tick arms them.
 *
 * poll holds its files while it sleeps: a file that the program closes meanwhile would stay open.
 * So a call ends only after the sleeper has left poll, or was told to leave. A thread that takes a
 * call away from the sleeper rings the bell. A thread that cancels a call rings it, too, and leaves
 * the rest to the sleeper.
 *
 * Where the lane's set is among the files, an event of the set wakes the sleeper, and the poller as
 * well, because the sleeper is in poll and not in epoll_wait. Where that happens time and again, or
 * sleeps last longer than ten ticks, the scheduler sleeps in the set the next MANY times, which
 * costs less. Where no call is armed the set is not polled: the poller serves a call that is armed
 * after the sleeper has looked.
 */
#include "platform/linux/calls/file_sleep.h"

#include <errno.h>
#include <sys/epoll.h>

#include "platform/linux/calls/bell.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum {
    IN_VAIN = MAX_DEFERRED, /* when it begins to sleep on files, so many calls may be armed */
    MANY = 64,
    WORTH = 256,   /* calls that may be deferred after a sleep that served one */
    SOON = 2000000 /* ns: a wait with less time left goes to the ring, which ends it in time */
};

/* poll and epoll have the same bits for events: watch.events serves for both. */
static bool may_be_slept_on(const struct call *call, uint64_t now)
{
    return call->watch.events && (call->deadline == PLAT_FOREVER || call->deadline > now + SOON);
}

/* No thread but the sleeper uses sleeps_to_skip. */
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
    lane->deferral.sleeper_told = TOLD_NOTHING;
    plat_unlock(&lane->deferral.lock);
    for (unsigned i = 0; i < other; i++)
        poller_arm(lane, others[i]);
    plat_unlock(&lane->deferral.arming);
    files[FILE_OF_BELL] = (struct pollfd){lane->readiness.bell_fd, POLLIN, 0};
    bool armed = __atomic_load_n(&lane->readiness.watched.first, __ATOMIC_RELAXED) != NULL;
    files[FILE_OF_SET] = (struct pollfd){armed ? lane->epoll : -1, POLLIN, 0};
    return n ? FILES_OF_CALLS + n : 0;
}

bool file_sleep_join(struct lane *lane)
{
    sigset_t mask;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED))
        return true;
    if (!__atomic_load_n(&lane->deferral.slept_on_count, __ATOMIC_RELAXED))
        return false;
    signals_block(&mask);
    plat_lock(&lane->deferral.lock);
    /* A handler may have jumped out of the sleep: then the ticks have taken the calls. */
    bool joins = lane->deferral.asked || some_are_slept_on(lane);
    if (joins && lane->deferral.count)
        bell_ring(lane, TOLD_OF_MORE);
    plat_unlock(&lane->deferral.lock);
    signals_restore(&mask);
    return joins;
}

long file_sleep(struct lane *lane, struct pollfd *files, unsigned count, const sigset_t *open)
{
    long n = RAW5(SYS_ppoll, files, count, NULL, open, 8);
    /* EINVAL counts, too: the program may have lowered its limit of files below this many. */
    if (n < 0 && n != -EINTR)
        lane->readiness.files_refused = true;
    if (n < 0)
        for (unsigned i = 0; i < count; i++)
            files[i].revents = 0;
    return n;
}

/* With `arming` held. Keeps in slept_on the calls whose files are ready, and moves these files'
 * events to the same places; defers the other calls, or ends them. True: another thread had told
 * the sleeper to leave its sleep. From here on there is no need. */
static bool take_back(struct lane *lane, struct pollfd *files)
{
    struct call *others[MAX_DEFERRED];
    unsigned other = 0, ready = 0;
    uint32_t now = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    plat_lock(&lane->deferral.lock);
    bool told = lane->deferral.sleeper_told == TOLD_TO_LEAVE;
    lane->deferral.sleeper_told = TOLD_TO_LEAVE;
    for (unsigned i = 0; i < lane->deferral.slept_on_count; i++) {
        struct call *call = lane->deferral.slept_on[i];
        if (call && files[FILES_OF_CALLS + i].revents) {
            files[FILES_OF_CALLS + ready].revents = files[FILES_OF_CALLS + i].revents;
            lane->deferral.slept_on[ready++] = call;
        } else if (call) {
            call->futex.born = now;
            others[other++] = call;
        }
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

/* Takes the next ready call. *call is NULL if another thread has taken it meanwhile. The call that
 * was taken before is settled by now. False: there are no more. */
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

/* Asks the call, whose file has these events. True: it is over, or has got a part of what it waits
 * for. */
static bool ask_one(struct lane *lane, struct call *call, int events)
{
    const struct call_ops *ops = call->entry->ops;
    long before = call->progress;
    enum outcome outcome = watch_polls(call) ? ops->answered(call, events) : ops->attempt(call);
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

static bool ask_ready(struct lane *lane, const struct pollfd *ready)
{
    struct call *call;
    bool had_something = false;
    for (unsigned i = 0; take_ready(lane, i, &call); i++)
        if (call && atomic_load_explicit(&call->cancelled, memory_order_acquire))
            call_interrupt(call);
        else if (call)
            had_something |= ask_one(lane, call, ready[i].revents);
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

void file_sleep_over(struct lane *lane, struct pollfd *files)
{
    struct epoll_event events[SET_EVENTS];
    uint64_t rung;
    if (files[FILE_OF_BELL].revents)
        RAW3(SYS_read, lane->readiness.bell_fd, &rung, sizeof rung);
    plat_lock(&lane->deferral.arming);
    bool told = take_back(lane, files);
    plat_unlock(&lane->deferral.arming);
    learn(lane, ask_ready(lane, files + FILES_OF_CALLS), files[FILE_OF_SET].revents || told);
    if (files[FILE_OF_SET].revents)
        watched_serve(lane, events, watched_take(lane, events, 0));
}
