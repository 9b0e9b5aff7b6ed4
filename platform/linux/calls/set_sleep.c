/* SPDX-License-Identifier: MIT
 *
 * set_sleep.c - a scheduler that has nothing to do sleeps in its lane's epoll set: what comes for
 * its workers wakes itself, and no other thread has to run in between.
 *
 * One scheduler of the lane sleeps there; the others sleep in futexes. The poller stays in the set:
 * it came earlier, and the kernel wakes the one who came last. So no role is handed over. While the
 * scheduler runs the poller is the one who is woken; should the poller be the last to come, it
 * serves, and wakes the scheduler.
 *
 * How others wake it. The word of its wait (enum wait_go) says where it is:
 *
 *     GO_NOT -> GO_BY + kick_fd    by itself, before it enters the set
 *     GO_BY -> GO_AWAKE            by itself, when it is out. While it serves what it has fetched
 *                                  its own serving may let it go: it is awake
 *     GO_AWAKE -> GO_NOT           by itself. It looks at the word before it sleeps again
 *     any -> GO                    by the one who decides the wait. It wrote GO before it writes to
 *                                  kick_fd. The wait may be gone by then, the lane stays
 *
 * The kick is an event of the set like others, told once for each write, and never read. Another
 * thread may fetch it: the poller, or a scheduler or worker that serves in passing. It kicks on as
 * long as `slept_in` is set. The sleeper sets that before its word says GO_BY; so one who
 * fetches a kick that somebody waits for sees it. It is there when the sleeper enters the set.
 * The poller would fetch it at once again, until the sleeper has come that far, and rests instead.
 * A handler that runs on the sleeper may last: till its end the poller kicks after each rest, some
 * 3,000 times a second at most, which took 1 to 2% of a processor. A longer rest would be one of
 * the lane's other waits as well.
 * A kick that comes too late wakes the next sleeper, who sees that its own word has not changed.
 *
 * Its signals are open in the set only: an event that it has fetched is served whatever handler
 * runs next. A suspension does not reach a thread that waits. One that is to end is let go.
 *
 * Where calls are deferred it does not enter the set: it polls the set, the files of those calls
 * and a bell (file_sleep.c). The word then says GO_BY + bell_fd. The sleeper reads what was written
 * there; one who fetches a kick meanwhile need not go on with it: whoever that was for is no longer
 * in the set.
 *
 * A handler of the program's may leave a sleep by siglongjmp. Then nobody sleeps here any more, but
 * in futexes, and no call is lost: those that the sleeper had are armed at the second tick.
 *
 * Another thread may serve meanwhile what it has fetched: watched.c notices that.
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

/* The word changes from one to the other, unless it is GO by now. */
static bool say(_Atomic uint32_t *go, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(go, &from, to, memory_order_seq_cst,
                                                   memory_order_acquire);
}

/* In files and the set, with signals blocked outside of it. */
static bool sleep_in_files(struct lane *lane, _Atomic uint32_t *go, const sigset_t *open,
                           struct pollfd *files, unsigned count)
{
    uint32_t by = GO_BY + (uint32_t)lane->readiness.bell_fd;
    atomic_store_explicit(&lane->readiness.slept_in_files, true, memory_order_seq_cst);
    if (say(go, GO_NOT, by)) {
        file_sleep(lane, files, count, open);
        say(go, by, GO_AWAKE);
    }
    atomic_store_explicit(&lane->readiness.slept_in_files, false, memory_order_seq_cst);
    if (lane->readiness.bell_fd < 0)
        return false; /* a handler has forked, and this is the child: set_sleep_forget */
    plat_lock(&lane->readiness.serving);
    file_sleep_over(lane, files);
    plat_unlock(&lane->readiness.serving);
    say(go, GO_AWAKE, GO_NOT);
    return true;
}

/* In the set, with signals blocked outside of it. */
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

bool set_sleep(struct lane *lane, _Atomic uint32_t *go)
{
    sigset_t open;
    if (lane->readiness.kick_fd < 0 ||
        atomic_exchange_explicit(&lane->readiness.slept_in, true, memory_order_seq_cst))
        return false;
    signals_block(&open);
    struct pollfd files[MOST_FILES];
    unsigned count = file_sleep_begin(lane, files);
    bool stays =
        count ? sleep_in_files(lane, go, &open, files, count) : sleep_in_set(lane, go, &open);
    atomic_store_explicit(&lane->readiness.slept_in, false, memory_order_seq_cst);
    signals_restore(&open);
    return stays;
}

static int counter(void)
{
    long made = RAW2(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
    return made < 0 ? -1 : fd_move_high((int)made);
}

/* Event counters: the kick's writes are never read. The kick is first: without it nobody sleeps
 * here, without the bell somebody still sleeps in the set. */
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
