/* SPDX-License-Identifier: MIT
 *
 * lanes.c - making lanes: one processor's set of engine threads: reactor, spawner and carriers.
 *
 * A hand-over between two kernel threads is cheap if both run on one processor. Between two
 * processors that sleep it costs tens of microseconds. So a scheduler lives in the lane of one
 * processor, and all threads of its hand-overs keep to that processor. The first scheduler that
 * needs a lane makes it. Each lane has a listener of its own, so lanes share nothing that is
 * contended.
 *
 * If a lane can have no listener, its filter traps (filter.c), and its reactor gets no
 * notifications. If it can have no filter either, it has no spawner and no carriers: each scheduler
 * stays on its own thread, and the lane's other threads complete the calls that leave in user mode
 * (user_call.c, unseen.c). So it is, too, if the limit on threads leaves no carrier for a
 * scheduler.
 *
 * Steps of making a lane: the descriptors; the reactor, which waits at first, and the poller; then
 * the spawner, which gets the listener and makes the first carriers. Without a reactor and a poller
 * there is no lane. Without a listener, a spawner or carriers the lane can do less, as said above.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/set_sleep.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/notify.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/linux/traps/filter.h"
#include "platform/linux/traps/idle_watch.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/wake_file.h"
#include "platform/linux/calls/attempt_ring.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/traps/lanes.h"
#include "platform/linux/traps/lane_told.h"
#include "platform/linux/traps/reactor.h"
#include "platform/platform.h"

enum { HIGH_WATER = 4, CARRIER_STACK = 128 << 10, REACTOR_STACK = 256 << 10 };

static PLAT_LOCK(LANES) lanes_lock; /* for making lanes; held while their threads start */
static struct lane *lanes[CPU_SETSIZE];
/* The lane that is being made, or NULL. Signal handlers read `lanes` and `making`. */
static _Atomic(struct lane *) making;
static int lanes_end; /* one more than the last lane's processor; read without the lock */

/* ---- The spawner ----------------------------------------------------------------------------- */

/* Creates carriers until enough are idle or on their way. Returns 0, or why there is no carrier. It
 * takes no lock of libc's: such a lock could be held by a worker that needs a carrier to go on. */
static int stock_up(struct lane *lane)
{
    for (;;) {
        plat_lock(&lane->hosting.lock);
        bool enough = lane->hosting.idle_count + lane->hosting.coming >=
                      HIGH_WATER + lane->hosting.starving_count;
        lane->hosting.coming += !enough;
        plat_unlock(&lane->hosting.lock);
        if (enough)
            return 0;
        int error = bare_thread_create(CARRIER_STACK, carrier_main, lane);
        plat_lock(&lane->hosting.lock);
        bool some = lane->hosting.carriers + lane->hosting.coming > (error != 0),
             before = lane->hosting.exhausted;
        lane->hosting.coming -= error != 0;
        lane->hosting.exhausted = error != 0;
        plat_unlock(&lane->hosting.lock);
        if (!error)
            continue;
        if (some && !before)
            plat_log("no more kernel threads: blocked workers keep their scheduler until others "
                     "finish: %s",
                     kthread_failure(error));
        return some ? 0 : error;
    }
}

static int trap_calls(bool guards)
{
    return filter_before && filter_before(guards) ? filter_install_traps() : -ENOSYS;
}

/* A sandbox may allow the filter and refuse the calls that answer it. So this function waits until
 * the reactor has tried these. */
static int have_calls_notified(struct lane *lane)
{
    int tried;
    while (!(tried = atomic_load_explicit(&lane->reactor_tried, memory_order_acquire)))
        futex_wait((_Atomic uint32_t *)&lane->reactor_tried, 0);
    if (tried < 0)
        return tried;
    int listener = filter_before && filter_before(false) ? filter_install_notifying() : -ENOSYS;
    if (listener < 0)
        return listener;
    lane->listener = listener;
    return 0;
}

/* The spawner makes carriers by clone. Behind the filter clone3 fails with ENOSYS, which libc
 * remembers for the whole process: if clone were refused, too, no thread could make threads any
 * more. */
static bool may_make_carriers(void)
{
    return !call_was_refused(RAW5(SYS_clone, CLONE_THREAD, 0, 0, 0, 0)); /* else EINVAL */
}

/* Puts the filter on the calling thread. Returns 0, or why there is none. If thread pointers are
 * guarded the filter traps. */
static int see_calls(struct lane *lane)
{
    bool asked = engine_caps.may_listen || engine_caps.may_trap; /* valgrind ends at such a clone */
    if (asked && !may_make_carriers())
        return -ECHILD;
    bool guards = engine_caps.guards && !fault_watch_wanted();
    int why = guards ? trap_calls(true) : -ENOSYS;
    if (why && engine_caps.may_listen)
        why = have_calls_notified(lane);
    if (why && engine_caps.may_trap) {
        int error = trap_calls(false);
        why = error && engine_caps.may_listen ? why : error;
    }
    engine_caps.trapped |= !why;
    engine_caps.fault_stacks |= !why;
    return why;
}

static void *spawner_main(void *arg)
{
    kthread_name("ums:spawner");
    struct lane *lane = arg;
    lane_bind(lane);
    int error = see_calls(lane);
    atomic_store_explicit(&lane->hosting.ready, error ? error : 1, memory_order_release);
    futex_wake((_Atomic uint32_t *)&lane->hosting.ready, 1);
    if (error)
        return NULL;
    for (bool first = true;; first = false) {
        atomic_store_explicit(&lane->hosting.spawner_word, 0, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        int shortage = stock_up(lane);
        if (first) {
            atomic_store_explicit(&lane->hosting.stocked, shortage ? -shortage : 1,
                                  memory_order_release);
            futex_wake((_Atomic uint32_t *)&lane->hosting.stocked, 1);
        }
        while (!atomic_load_explicit(&lane->hosting.spawner_word, memory_order_acquire))
            futex_wait(&lane->hosting.spawner_word, 0);
    }
}

/* ---- Making lanes ---------------------------------------------------------------------------- */

/* Starts the spawner, which puts the filter on itself and so on each carrier. */
static bool watch_calls(struct lane *lane)
{
    int error = kthread_create(&lane->hosting.spawner, REACTOR_STACK, spawner_main, lane);
    if (error) {
        lane_tell_less(-error);
        return false;
    }
    while (!atomic_load_explicit(&lane->hosting.ready, memory_order_acquire))
        futex_wait((_Atomic uint32_t *)&lane->hosting.ready, 0);
    if (lane->hosting.ready < 0) {
        lane_tell_less(lane->hosting.ready);
        return false;
    }
    if (lane->listener < 0)
        return true;
    lane->listener = fd_move_high(lane->listener);
    engine_caps.sync_wakeup = notify_sync_wakeup(lane->listener) == 0;
    return true;
}

/* The lane gets no poller. The ring waits for each call that the poller would wait for, or a helper
 * does. */
static void do_without_poller(struct lane *lane)
{
    plat_log_once("epoll_create1 or epoll_ctl is refused, by a sandbox: each read or write that "
                  "waits takes a request of io_uring, or a thread. Allow both");
    if (lane->epoll >= 0)
        own_file_close(lane->epoll);
    lane->epoll = -1;
    lane->readiness.unwatched = true;
}

/* 0, or errno. */
static int open_descriptors(struct lane *lane)
{
    struct epoll_event look = {.events = EPOLLIN};
    lane->wake_fd = wake_file_open(0);
    lane->cancel_fd = wake_file_open(O_NONBLOCK);
    if (lane->wake_fd < 0 || lane->cancel_fd < 0)
        return -(lane->wake_fd < 0 ? lane->wake_fd : lane->cancel_fd);
    lane->epoll = fd_move_high(epoll_create1(EPOLL_CLOEXEC));
    if (lane->epoll >= 0 && epoll_ctl(lane->epoll, EPOLL_CTL_ADD, lane->cancel_fd, &look) == 0) {
        set_sleep_init(lane);
        return 0;
    }
    if (!call_was_refused(-errno))
        return errno;
    do_without_poller(lane);
    return 0;
}

static void let_reactor_go(struct lane *lane, uint32_t where)
{
    atomic_store_explicit(&lane->reactor_go, where, memory_order_release);
    futex_wake(&lane->reactor_go, 1);
}

/* 0, or errno. */
static int start_threads(struct lane *lane)
{
    int error = kthread_create(&lane->reactor, REACTOR_STACK, reactor_main, lane);
    if (error)
        return error;
    if (!lane->readiness.unwatched)
        error = kthread_create(&lane->poller, REACTOR_STACK, poller_main, lane);
    if (error) {
        let_reactor_go(lane, REACTOR_ENDS);
        return error;
    }
    timer_start_in(lane);
    bool seen = engine_caps.detect && watch_calls(lane);
    let_reactor_go(lane, REACTOR_RUNS);
    while (!atomic_load_explicit(&lane->reactor_up, memory_order_acquire))
        futex_wait(&lane->reactor_up, 0);
    while (seen && !atomic_load_explicit(&lane->hosting.stocked, memory_order_acquire))
        futex_wait((_Atomic uint32_t *)&lane->hosting.stocked, 0);
    if (seen && lane->hosting.stocked < 0)
        lane_tell_less(lane->hosting.stocked);
    lane->hosting.hosts = seen && lane->hosting.stocked > 0;
    engine_caps.detect &= lane->hosting.hosts;
    return 0;
}

static struct lane *lane_create(int cpu)
{
    struct lane *lane = plat_reserve(sizeof *lane);
    if (!lane)
        return NULL;
    lane->cpu = cpu;
    lane->hosting.starving_end = &lane->hosting.starving;
    lane->listener = lane->wake_fd = lane->cancel_fd = lane->epoll = lane->readiness.kick_fd = -1;
    lane->readiness.bell_fd = -1;
    poller_init(lane);
    atomic_store_explicit(&making, lane, memory_order_release);
    int error = open_descriptors(lane);
    if (!error)
        error = start_threads(lane);
    if (error) {
        lane_tell_none(error);
        const int opened[] = {lane->wake_fd, lane->cancel_fd, lane->readiness.kick_fd,
                              lane->readiness.bell_fd, lane->epoll};
        for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
            if (opened[i] >= 0)
                own_file_close(opened[i]);
        engine_caps.detect = engine_caps.front = false;
        return NULL;
    }
    if (lane->hosting.hosts && fault_watch_wanted()) {
        atomic_store_explicit(&lane->hosting.opens.refused, true, memory_order_relaxed);
        idle_watch_start(lane);
    }
    lane_found(lane);
    return lane;
}

/* Whether a scheduler that has just come to the lane gets a carrier. If threads have run out, the
 * other schedulers may never leave one over. */
bool lane_hosts(struct lane *lane)
{
    plat_lock(&lane->hosting.lock);
    bool for_all = !lane->hosting.exhausted ||
                   lane->hosting.carriers + lane->hosting.coming >= lane->hosting.schedulers;
    plat_unlock(&lane->hosting.lock);
    if (lane->hosting.hosts && !for_all)
        lane_tell_less(-EAGAIN);
    return lane->hosting.hosts && for_all;
}

struct lane *lane_for(const cpu_set_t *allowed)
{
    if (!engine_caps.detect && !engine_caps.front)
        return NULL;
    plat_lock(&lanes_lock);
    int here = sched_getcpu();
    int best = here >= 0 && CPU_ISSET(here, allowed) ? here : -1;
    unsigned load = best >= 0 && lanes[best] ? lanes[best]->hosting.schedulers : 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, allowed))
            continue;
        unsigned n = lanes[cpu] ? lanes[cpu]->hosting.schedulers : 0;
        if (best < 0 || n < load) {
            best = cpu;
            load = n;
        }
    }
    if (best < 0)
        best = 0;
    if (!lanes[best]) {
        __atomic_store_n(&lanes[best], lane_create(best), __ATOMIC_RELEASE);
        if (best >= lanes_end)
            __atomic_store_n(&lanes_end, best + 1, __ATOMIC_RELEASE);
        atomic_store_explicit(&making, NULL, memory_order_release);
    }
    struct lane *lane = lanes[best];
    if (lane)
        lane->hosting.schedulers++;
    plat_unlock(&lanes_lock);
    return lane;
}

void lane_leave(struct lane *lane)
{
    plat_lock(&lanes_lock);
    lane->hosting.schedulers--;
    plat_unlock(&lanes_lock);
}

/* A reactor writes its thread id before it tries whether it can answer notifications. So a filter
 * that the program installs on it comes before that test, and the lane does without notifications;
 * or this function finds the reactor, and the filter leaves it out. */
bool lane_reacts(pid_t tid)
{
    const struct lane *lane = atomic_load_explicit(&making, memory_order_acquire);
    if (lane && lane->reactor_tid == tid)
        return true;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        lane = __atomic_load_n(&lanes[cpu], __ATOMIC_ACQUIRE);
        if (lane && lane->listener >= 0 && lane->reactor_tid == tid)
            return true;
    }
    return false;
}

bool lanes_move_duplicate(int number)
{
    bool moved = false;
    plat_lock(&lanes_lock);
    for (int cpu = 0; cpu < CPU_SETSIZE && !moved; cpu++)
        moved = lanes[cpu] && watched_move(lanes[cpu], number);
    plat_unlock(&lanes_lock);
    return moved;
}

void lanes_hold(unsigned first, unsigned last)
{
    int end = __atomic_load_n(&lanes_end, __ATOMIC_ACQUIRE);
    for (int cpu = 0; cpu < end; cpu++)
        if (__atomic_load_n(&lanes[cpu], __ATOMIC_ACQUIRE))
            poller_hold(lanes[cpu], first, last);
}

/* Called in a child after fork. The lanes' threads are gone, and the kernel objects are the
 * parent's. */
void lanes_forget(void)
{
    plat_lock_forget(&lanes_lock);
    atomic_store_explicit(&making, NULL, memory_order_relaxed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        struct lane *lane = lanes[cpu];
        lanes[cpu] = NULL;
        if (!lane)
            continue;
        poller_forget(lane);
        idle_watch_forget(lane);
        own_file_close(lane->listener);
        own_file_close(lane->wake_fd);
        own_file_close(lane->cancel_fd);
        set_sleep_forget(lane);
        ring_forget(lane);
        attempt_ring_forget(lane);
    }
}
