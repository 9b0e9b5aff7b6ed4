/* SPDX-License-Identifier: MIT
 *
 * set_sleep.c - a scheduler that has nothing to do sleeps in its lane's epoll set: an event for one
 * of its workers wakes the scheduler itself, and no other thread has to run in between.
 *
 * One scheduler of the lane sleeps there; the others sleep in futexes. The poller stays in the set
 * as well. The kernel wakes the thread that came last, as a rule the scheduler, so neither hands
 * its role to the other. While the scheduler runs, the kernel wakes the poller. Should the poller
 * come last, it serves the event and wakes the scheduler.
 *
 * How other threads wake it. The word of its wait (enum wait_go) says where the sleeper is. It is
 * changed
 *
 *     GO_NOT -> GO_BY + kick_fd    by the sleeper, before it enters the set
 *     GO_BY -> GO_AWAKE            by the sleeper, when it has left the set. It is awake while it
 *                                  serves events, one of which may decide its own wait
 *     GO_AWAKE -> GO_NOT           by the sleeper. It looks at the word before it sleeps again
 *     any -> GO                    by the thread that decides the wait. Then that thread writes to
 *                                  kick_fd: the wait may be gone by then, but the lane stays
 *
 * The write to kick_fd, the kick, is an event of the set. The kernel tells of it once for each
 * write, and no thread reads it. Another thread than the sleeper may fetch it: the poller, or a
 * scheduler or worker that serves in passing. That thread kicks again if `slept_in` is set. The
 * sleeper sets `slept_in` before its word says GO_BY, so a thread that fetches the sleeper's kick
 * sees it set. The new kick is there when the sleeper enters the set. Until then the poller would
 * fetch it again at once, so the poller rests after it has kicked. A handler of the program's that
 * runs on the sleeper may last. Till its end the poller kicks after each rest, some 3,000 times a
 * second at most, which took 1 to 2% of a processor. A longer rest would make the lane's other
 * waits late, too. A kick that comes too late wakes the next sleeper, which sees that its own word
 * has not changed.
 *
 * The signals of a sleeper that its own thread carries are open in the set only, so it serves the
 * events that it has fetched whatever handler runs next. A carrier has no signal open for which a
 * handler of the program's could run: a hosted scheduler leaves its mask alone. A thread that
 * suspends the sleeper does not wake it. A thread that ends it decides its wait.
 *
 * Where calls are deferred, the scheduler does not enter the set. It polls the set, the files of
 * those calls and a bell (file_sleep.c), and its word says GO_BY + bell_fd. The sleeper itself
 * reads the bell. A thread that fetches a kick meanwhile need not kick again: the sleeper that the
 * kick was for has left the set.
 *
 * A handler of the program's may leave a sleep by siglongjmp. From then on `slept_in` stays set,
 * and the lane's schedulers sleep in futexes. No call is lost: ticks arm the sleeper's calls.
 *
 * Another thread may serve a call whose event the sleeper has fetched and not served yet: watched.c
 * notices that.
 */
#include "platform/linux/calls/set_sleep.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "platform/linux/calls/file_sleep.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"

/* Changes the word, unless it is GO by now. True: it has changed. */
static bool say(_Atomic uint32_t *go, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(go, &from, to, memory_order_seq_cst,
                                                   memory_order_acquire);
}

/* Sleeps on files and perhaps the set, with `open` as the signal mask; NULL: with the mask as it
 * is. No handler of the program's runs but in the sleep itself. False: in a child. */
static bool sleep_in_files(struct lane *lane, _Atomic uint32_t *go, const sigset_t *open,
                           struct pollfd *files, unsigned count)
{
    uint32_t by = GO_BY + (uint32_t)lane->readiness.bell_fd;
    bool set_too = files[FILE_OF_SET].fd >= 0;
    atomic_store_explicit(&lane->readiness.set_polled, set_too, memory_order_relaxed);
    atomic_store_explicit(&lane->readiness.slept_in_files, true, memory_order_seq_cst);
    if (!set_too)
        watched_sleeps_elsewhere(lane);
    if (say(go, GO_NOT, by)) {
        file_sleep(lane, files, count, open);
        say(go, by, GO_AWAKE);
    }
    atomic_store_explicit(&lane->readiness.slept_in_files, false, memory_order_seq_cst);
    if (set_too)
        atomic_store_explicit(&lane->readiness.set_polled, false, memory_order_relaxed);
    if (lane->readiness.bell_fd < 0)
        return false; /* a handler has forked, and this is the child (set_sleep_forget) */
    plat_lock(&lane->readiness.serving);
    file_sleep_over(lane, files);
    plat_unlock(&lane->readiness.serving);
    say(go, GO_AWAKE, GO_NOT);
    return true;
}

/* Sleeps in the set. Signals are blocked but for the sleep itself. False: the kernel refuses it. */
static bool sleep_in_set(struct lane *lane, _Atomic uint32_t *go, const sigset_t *open)
{
    struct epoll_event events[SET_EVENTS];
    uint32_t by = GO_BY + (uint32_t)lane->readiness.kick_fd;
    if (!say(go, GO_NOT, by))
        return true;
    long n = RAW6(SYS_epoll_pwait, lane->epoll, events, SET_EVENTS, -1, open, 8);
    say(go, by, GO_AWAKE);
    if (n > 0) {
        plat_lock(&lane->readiness.serving);
        watched_serve(lane, events, n);
        plat_unlock(&lane->readiness.serving);
    }
    say(go, GO_AWAKE, GO_NOT);
    return n >= 0 || n == -EINTR;
}

bool set_sleep(struct lane *lane, bool hosted, _Atomic uint32_t *go)
{
    sigset_t before, *open = hosted ? NULL : &before;
    if (lane->readiness.kick_fd < 0 ||
        atomic_exchange_explicit(&lane->readiness.slept_in, true, memory_order_seq_cst))
        return false;
    if (open)
        signals_block(open);
    struct pollfd files[MOST_FILES];
    unsigned count = file_sleep_begin(lane, files);
    bool stays =
        count ? sleep_in_files(lane, go, open, files, count) : sleep_in_set(lane, go, open);
    atomic_store_explicit(&lane->readiness.slept_in, false, memory_order_seq_cst);
    if (open)
        signals_restore(open);
    return stays;
}

static int counter(void)
{
    long made = RAW2(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
    return made < 0 ? -1 : fd_move_high((int)made);
}

/* Makes two event counters, the kick first: without it no scheduler sleeps here, without the bell
 * one still sleeps in the set. */
void set_sleep_init(struct lane *lane)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = NAME_OF_KICK};
    lane->readiness.kick_fd = counter();
    if (lane->readiness.kick_fd < 0)
        return;
    if (RAW4(SYS_epoll_ctl, lane->epoll, EPOLL_CTL_ADD, lane->readiness.kick_fd, &event) == 0) {
        lane->readiness.bell_fd = counter();
        return;
    }
    own_file_close(lane->readiness.kick_fd);
    lane->readiness.kick_fd = -1;
}

void set_sleep_forget(struct lane *lane)
{
    if (lane->readiness.bell_fd >= 0)
        own_file_close(lane->readiness.bell_fd);
    lane->readiness.bell_fd = -1;
    if (lane->readiness.kick_fd >= 0)
        own_file_close(lane->readiness.kick_fd);
    lane->readiness.kick_fd = -1;
}
