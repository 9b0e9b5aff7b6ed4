/* SPDX-License-Identifier: MIT
 *
 * Making lanes and sharing them out (platform/linux/traps/lanes.c): a scheduler comes where the fewest are, a lane has as
 * many carriers as it wants and says so where it cannot, and of a lane that cannot be made nothing is left.
 */
#include "platform/linux/traps/lanes.c"

#include "doubles.h"
#include "gtest_c.h"
#include "platform/check.h"

#include <string.h>
#include <unistd.h>

struct engine_caps engine_caps;
bool (*filter_before)(bool guards);

enum { WAKE_FD = 10, CANCEL_FD, EPOLL_FD, LISTENER, FDS, REACTOR = 500, MOST_CARRIERS = 50 };

static struct lane two[2];
static unsigned made, most, installed, told, open_fds[FDS];
static int threads_left, ended_at;
static struct lane *forgotten[6];

int bare_thread_create(size_t stack_bytes, void *(*main)(void *), void *arg)
{
    EXPECT_EQ(main, carrier_main);
    EXPECT_EQ(plat_lock_taken(&((struct lane *)arg)->hosting.lock), false);
    if (made == most)
        return 11; /* EAGAIN */
    if (++made > MOST_CARRIERS)
        UMS_FATAL("it makes more and more carriers", arg, made);
    ((struct lane *)arg)->hosting.carriers++;
    return 0;
}

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg)
{
    return threads_left-- > 0 ? 0 : 11;
}

const char *kthread_failure(int error)
{
    return "no reason";
}

void plat_log(const char *format, ...)
{
    told++;
}

static bool with_filter(bool guards)
{
    return true;
}

int filter_install_notifying(void)
{
    installed++;
    return LISTENER;
}

int filter_install_traps(void)
{
    installed++;
    return 0;
}

static int opened(int fd)
{
    open_fds[fd]++;
    return fd;
}

int wake_file_open(int flags)
{
    return opened(flags ? CANCEL_FD : WAKE_FD);
}

int fd_move_high(int fd)
{
    close(fd);
    return opened(EPOLL_FD);
}

void own_file_close(long fd)
{
    EXPECT_THAT(fd >= 0 && fd < FDS && open_fds[fd] == 1, "descriptor %ld is closed", fd);
    if (fd >= 0 && fd < FDS)
        open_fds[fd]--;
}

int epoll_ctl(int set, int what, int fd, struct epoll_event *event)
{
    EXPECT_EQ(set, EPOLL_FD);
    return 0;
}

void lane_tell_less(int error)
{
    EXPECT_LT(error, 0);
    told++;
}

void lane_tell_none(int error)
{
    EXPECT_GT(error, 0);
    told++;
}

void lane_found(const struct lane *lane)
{
}

void lane_bind(const struct lane *lane)
{
}

void kthread_name(const char *name)
{
}

void poller_init(struct lane *lane)
{
}

void set_sleep_init(struct lane *lane)
{
}

void timer_start_in(struct lane *lane)
{
    FAIL("the threads are not there");
}

bool fault_watch_wanted(void)
{
    return false;
}

void idle_watch_start(struct lane *lane)
{
}

int notify_sync_wakeup(int listener)
{
    return 0;
}

void *reactor_main(void *lane)
{
    return lane;
}

void *poller_main(void *lane)
{
    return lane;
}

void *carrier_main(void *lane)
{
    return lane;
}

/* What a child has of a lane: each is forgotten once. */
static void forget(int what, struct lane *lane)
{
    EXPECT_EQ(forgotten[what], NULL);
    forgotten[what] = lane;
}

void poller_forget(struct lane *lane)
{
    forget(0, lane);
}

void idle_watch_forget(struct lane *lane)
{
    forget(1, lane);
}

void set_sleep_forget(struct lane *lane)
{
    forget(2, lane);
}

void ring_forget(struct lane *lane)
{
    forget(3, lane);
}

void attempt_ring_forget(struct lane *lane)
{
    forget(4, lane);
}

static long kernel(long nr, const long args[6])
{
    if (nr == SYS_futex && (args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE && args[0] != 0)
        ended_at++;
    return 0;
}

static void start(void)
{
    memset(two, 0, sizeof two);
    memset(lanes, 0, sizeof lanes);
    memset(open_fds, 0, sizeof open_fds);
    memset(forgotten, 0, sizeof forgotten);
    for (int i = 0; i < 2; i++) {
        two[i].cpu = i;
        lanes[i] = &two[i];
    }
    lanes_end = 2;
    made = installed = told = 0;
    most = UINT32_MAX;
    ended_at = 0;
    engine_caps = (struct engine_caps){.detect = true, .front = true};
    filter_before = with_filter;
    atomic_store(&making, NULL);
    double_syscall = kernel;
}

/* ---- Who comes where ------------------------------------------------------------------------- */

static struct lane *come(void)
{
    cpu_set_t both;

    CPU_ZERO(&both);
    CPU_SET(0, &both);
    CPU_SET(1, &both);
    return lane_for(&both);
}

TEST(Lanes, a_scheduler_comes_where_the_fewest_are)
{
    start();
    for (int i = 0; i < 6; i++)
        ASSERT_NE(come(), NULL);
    EXPECT_EQ(two[0].hosting.schedulers, 3u);
    EXPECT_EQ(two[1].hosting.schedulers, 3u);
    for (int i = 0; i < 2; i++) { /* also where others have left */
        lane_leave(&two[i]);
        lane_leave(&two[i]);
        EXPECT_EQ(come(), &two[i]);
        EXPECT_EQ(come(), &two[i]);
    }
}

TEST(Lanes, a_scheduler_keeps_to_its_processors)
{
    cpu_set_t second;

    start();
    CPU_ZERO(&second);
    CPU_SET(1, &second);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(lane_for(&second), &two[1]);
}

/* ---- Carriers -------------------------------------------------------------------------------- */

TEST(Lanes, carriers_on_their_way_count)
{
    start();
    two[0].hosting.starving_count = 2;
    EXPECT_EQ(stock_up(&two[0]), 0);
    EXPECT_EQ(made, (unsigned)HIGH_WATER + 2);
    two[0].hosting.coming -= 3; /* they are there, and idle */
    two[0].hosting.idle_count += 3;
    EXPECT_EQ(stock_up(&two[0]), 0);
    EXPECT_EQ(made, (unsigned)HIGH_WATER + 2);
    two[0].hosting.idle_count--;
    EXPECT_EQ(stock_up(&two[0]), 0);
    EXPECT_EQ(made, (unsigned)HIGH_WATER + 3);
}

TEST(Lanes, where_threads_run_out_a_lane_says_for_whom_there_is_a_carrier)
{
    start();
    two[0].hosting.hosts = true;
    two[0].hosting.schedulers = 2;
    most = 0;
    EXPECT_EQ(stock_up(&two[0]), 11); /* none at all */
    EXPECT_EQ(two[0].hosting.coming, 0u);
    EXPECT_EQ(lane_hosts(&two[0]), false);
    most = 1;
    EXPECT_EQ(stock_up(&two[0]), 0);
    EXPECT_EQ(two[0].hosting.coming, 1u);
    two[0].hosting.carriers = 0;
    EXPECT_EQ(lane_hosts(&two[0]), false); /* one for two schedulers */
    two[0].hosting.schedulers = 1;
    EXPECT_EQ(lane_hosts(&two[0]), true);
    two[0].hosting.schedulers = 2;
    most = 10;
    EXPECT_EQ(stock_up(&two[0]), 0); /* others have ended */
    EXPECT_EQ(lane_hosts(&two[0]), true);
    two[0].hosting.hosts = false;
    EXPECT_EQ(lane_hosts(&two[0]), false);
}

TEST(Lanes, calls_are_not_notified_where_nobody_may_answer)
{
    start();
    atomic_store(&two[0].reactor_tried, -1);
    two[0].listener = -1;
    EXPECT_EQ(have_calls_notified(&two[0]), -1);
    EXPECT_EQ(installed, 0u);
    EXPECT_EQ(two[0].listener, -1);
    atomic_store(&two[0].reactor_tried, 1);
    EXPECT_EQ(have_calls_notified(&two[0]), 0);
    EXPECT_EQ(two[0].listener, LISTENER);
}

/* ---- Reactors -------------------------------------------------------------------------------- */

TEST(Lanes, a_reactor_is_known_from_its_beginning)
{
    start();
    two[0].reactor_tid = REACTOR;
    two[1].reactor_tid = REACTOR + 1;
    two[0].listener = two[1].listener = -1;
    EXPECT_EQ(lane_reacts(REACTOR), false); /* it answers nobody */
    atomic_store(&making, &two[0]);
    EXPECT_EQ(lane_reacts(REACTOR), true); /* it may come to */
    EXPECT_EQ(lane_reacts(REACTOR + 1), false);
    two[1].listener = LISTENER;
    EXPECT_EQ(lane_reacts(REACTOR + 1), true);
}

/* ---- No lane --------------------------------------------------------------------------------- */

/* The first thread is its reactor, the second its poller. */
TEST(Lanes, of_a_lane_that_cannot_be_made_nothing_is_left)
{
    for (threads_left = 0; threads_left < 2;) {
        int left = threads_left;

        start();
        lanes[1] = NULL;
        engine_caps.detect = true;
        EXPECT_EQ(lane_create(1), NULL);
        for (int fd = WAKE_FD; fd < FDS; fd++)
            EXPECT_EQ(open_fds[fd], 0u);
        EXPECT_EQ(told, 1u);
        EXPECT_EQ(ended_at, left); /* a reactor that waits is told to end */
        EXPECT_EQ(engine_caps.detect || engine_caps.front, false);
        EXPECT_EQ(come(), NULL); /* nobody tries again */
        threads_left = left + 1;
    }
}

TEST(Lanes, a_child_closes_what_its_parents_lanes_have)
{
    start();
    lanes[1] = NULL;
    two[0].listener = opened(LISTENER);
    two[0].wake_fd = opened(WAKE_FD);
    two[0].cancel_fd = opened(CANCEL_FD);
    plat_lock(&lanes_lock);
    atomic_store(&making, &two[0]);
    lanes_forget();
    for (int fd = WAKE_FD; fd < FDS; fd++)
        EXPECT_EQ(open_fds[fd], 0u);
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(forgotten[i], &two[0]);
    EXPECT_EQ(lanes[0], NULL);
    EXPECT_EQ(plat_lock_taken(&lanes_lock), false);
    EXPECT_EQ(lane_reacts(two[0].reactor_tid), false);
}
