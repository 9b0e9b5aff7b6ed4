/* SPDX-License-Identifier: MIT
 *
 * A scheduler that sleeps in its lane's epoll set (platform/linux/calls/set_sleep.c) is let go,
 * whoever fetches the event that tells it so. The poller (poller_thread.c) rests, and is woken by
 * a scheduler that falls asleep elsewhere.
 */
#include "platform/linux/calls/poller_thread.c"
#include "platform/linux/calls/set_sleep.c"

#include "watched_pipe.h"

enum { KICKS = 5, BELL = 8 };

/* A sleep in files (platform/linux/calls/file_sleep.c). */
static unsigned files_here; /* that there are, 0: it sleeps in the set */
static bool slept_in_files, over, forks;
static int set_there;
static bool set_polled_there, hosted_here;
static const sigset_t *mask_there; /* of the sleep; NULL: as it is */

unsigned file_sleep_begin(struct lane *of, struct pollfd *files)
{
    slept_in_files = over = false;
    files[FILE_OF_SET].fd = set_there;
    return files_here;
}

int fd_move_high(int number)
{
    return number;
}

void own_file_close(long number)
{
    EXPECT_EQ(number == BELL || number == KICKS, true);
}

static unsigned wakes, rests;     /* of the poller */
static unsigned sleeps_meanwhile; /* during so many rests a scheduler falls asleep */
static bool one_sleeps_elsewhere; /* during a rest */
static uint64_t rested_until[8];
static bool blocked; /* signals */
static unsigned times_blocked;

void signals_block(sigset_t *old)
{
    sigemptyset(old);
    EXPECT_EQ(blocked, false);
    blocked = true;
    times_blocked++;
}

void signals_restore(const sigset_t *old)
{
    (void)old;
    EXPECT_EQ(blocked, true);
    blocked = false;
}

/* What becomes of a thread that sleeps in the set. */
static _Atomic uint32_t go;
static uint32_t go_there; /* what its word said */
static bool let_go_there;
static uint64_t told_there; /* what the set tells it; NOTHING */
static unsigned kicks;
static unsigned counters_left; /* that can be made */
static int next_counter;
enum { NOTHING = 6 };

long file_sleep(struct lane *of, struct pollfd *files, unsigned count, const sigset_t *open)
{
    EXPECT_EQ(count, files_here);
    EXPECT_EQ(atomic_load(&lane.readiness.slept_in_files), true);
    EXPECT_EQ(watched_kick_on(&lane), false);
    go_there = atomic_load(&go);
    set_polled_there = atomic_load(&lane.readiness.set_polled);
    mask_there = open;
    if (let_go_there)
        atomic_store(&go, GO);
    slept_in_files = true;
    if (forks)
        set_sleep_forget(&lane);
    return forks ? -EINTR : 0;
}

void file_sleep_over(struct lane *of, struct pollfd *files)
{
    EXPECT_EQ(atomic_load(&lane.readiness.slept_in_files), false);
    EXPECT_EQ(blocked, !hosted_here);
    over = true;
}

static long in_the_set(struct epoll_event *events)
{
    go_there = atomic_load(&go);
    if (let_go_there)
        atomic_store(&go, GO);
    events[0] = (struct epoll_event){.events = EPOLLIN, .data.u64 = told_there};
    return told_there == NOTHING ? 0 : 1;
}

static void rest_here(const struct timespec *until)
{
    EXPECT_LT(rests, 8u);
    rested_until[rests++] = (uint64_t)until->tv_sec * 1000000000u + (uint64_t)until->tv_nsec;
    if (rests <= sleeps_meanwhile)
        watched_before_sleep(&lane);
    if (one_sleeps_elsewhere)
        watched_sleeps_elsewhere(&lane);
}

static long kernel_here(long nr, const long args[6])
{
    switch (nr) {
    case SYS_epoll_pwait:
        mask_there = (const sigset_t *)args[4];
        return in_the_set((struct epoll_event *)args[1]);
    case SYS_write:
        kicks += args[0] == KICKS;
        return 8;
    case SYS_eventfd2:
        return counters_left ? (counters_left--, next_counter++) : -EMFILE;
    case SYS_futex:
        if ((args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
            wakes += args[0] == (long)&lane.readiness.resting;
        else
            rest_here((const struct timespec *)args[3]);
        return 0;
    default:
        return kernel(nr, args);
    }
}

static void start_here(unsigned waiting)
{
    start(waiting);
    lane.readiness.kick_fd = KICKS;
    atomic_store(&go, GO_NOT);
    let_go_there = false;
    told_there = NOTHING;
    kicks = wakes = rests = files_here = times_blocked = sleeps_meanwhile = 0;
    forks = hosted_here = one_sleeps_elsewhere = false;
    set_there = SET;
    double_syscall = kernel_here;
}

/* What came meanwhile is the poller's to serve. */
TEST(SetSleep, a_scheduler_that_sleeps_elsewhere_wakes_a_poller_that_rests)
{
    start_here(0);
    watched_after_sleep(&lane);
    watched_before_sleep(&lane);
    watched_sleeps_elsewhere(&lane);
    EXPECT_EQ(wakes, 0u);
    atomic_store(&lane.readiness.resting, 1);
    watched_before_sleep(&lane);
    EXPECT_EQ(wakes, 0u);
    watched_sleeps_elsewhere(&lane);
    EXPECT_EQ(wakes, 1u);
    EXPECT_EQ(atomic_load(&lane.readiness.resting), 0u);
    watched_sleeps_elsewhere(&lane);
    EXPECT_EQ(wakes, 1u);
}

TEST(SetSleep, a_sleeper_in_the_set_says_how_it_is_woken)
{
    start_here(0);
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(go_there, GO_BY + (uint32_t)KICKS);
    EXPECT_EQ(atomic_load(&go), (uint32_t)GO_NOT);
    let_go_there = true;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(atomic_load(&go), (uint32_t)GO);
    go_there = GO_NOT;
    EXPECT_EQ(set_sleep(&lane, false, &go), true); /* it is let go: not into the set */
    EXPECT_EQ(go_there, (uint32_t)GO_NOT);
    EXPECT_EQ(atomic_load(&lane.readiness.slept_in), false);
}

TEST(SetSleep, a_sleeper_in_files_says_how_it_is_woken)
{
    start_here(0);
    lane.readiness.bell_fd = BELL;
    files_here = FILES_OF_CALLS + 1;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(go_there, GO_BY + (uint32_t)BELL);
    EXPECT_EQ(atomic_load(&go), (uint32_t)GO_NOT);
    EXPECT_EQ(slept_in_files && over, true);
    let_go_there = true;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(atomic_load(&go), (uint32_t)GO);
    EXPECT_EQ(set_sleep(&lane, false, &go),
              true); /* it is let go: the calls come back all the same */
    EXPECT_EQ(slept_in_files, false);
    EXPECT_EQ(over, true);
    EXPECT_EQ(atomic_load(&lane.readiness.slept_in), false);
}

/* A handler has, and this is the child. The calls and the locks are the parent's. */
TEST(SetSleep, a_copy_of_a_sleeper_in_files_leaves_them_alone)
{
    start_here(0);
    lane.readiness.bell_fd = BELL;
    files_here = FILES_OF_CALLS + 1;
    forks = true;
    plat_lock(&lane.readiness.serving);
    EXPECT_EQ(set_sleep(&lane, false, &go), false);
    plat_unlock(&lane.readiness.serving);
    EXPECT_EQ(slept_in_files, true);
    EXPECT_EQ(over, false);
}

/* The bell is for sleeps in files alone, the kick for all. */
TEST(SetSleep, the_last_descriptor_is_the_kick)
{
    start_here(0);
    lane.readiness.kick_fd = lane.readiness.bell_fd = -1;
    counters_left = 1;
    next_counter = KICKS;
    open_duplicate[KICKS] = true; /* it can be in the set */
    set_sleep_init(&lane);
    EXPECT_EQ(lane.readiness.kick_fd, KICKS);
    EXPECT_EQ(lane.readiness.bell_fd, -1);
    lane.readiness.kick_fd = -1;
    set_sleep_init(&lane);
    EXPECT_EQ(lane.readiness.kick_fd, -1);
    EXPECT_EQ(lane.readiness.bell_fd, -1);
}

/* Each event wakes both. */
TEST(SetSleep, a_poller_rests_while_a_scheduler_polls_the_set_beside_files)
{
    start_here(0);
    watched_before_sleep(&lane);
    atomic_store(&lane.readiness.slept_in_files, true);
    rest(&lane);
    EXPECT_EQ(rests, 0u);
    atomic_store(&lane.readiness.set_polled, true);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
}

TEST(SetSleep, a_sleeper_in_files_says_whether_it_polls_the_set)
{
    start_here(0);
    lane.readiness.bell_fd = BELL;
    files_here = FILES_OF_CALLS + 1;
    set_there = SET;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(set_polled_there, true);
    EXPECT_EQ(atomic_load(&lane.readiness.set_polled), false);
    set_there = -1;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(set_polled_there, false);
}

/* A carrier's are blocked. */
TEST(SetSleep, a_hosted_scheduler_leaves_its_signals_alone)
{
    start_here(0);
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(times_blocked, 1u);
    EXPECT_NE(mask_there, NULL);
    EXPECT_EQ(set_sleep(&lane, true, &go), true);
    EXPECT_EQ(mask_there, NULL);
    lane.readiness.bell_fd = BELL;
    files_here = FILES_OF_CALLS + 1;
    hosted_here = true;
    EXPECT_EQ(set_sleep(&lane, true, &go), true);
    EXPECT_EQ(slept_in_files && over, true);
    EXPECT_EQ(mask_there, NULL);
    EXPECT_EQ(times_blocked, 1u);
}

TEST(SetSleep, a_sleeper_in_the_set_serves_what_comes)
{
    start_here(1);
    available = 1;
    told_there = set_names[FIRST_DUPLICATE];
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(calls[0].result, RESULT);
    told_there = NAME_OF_KICK;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(kicks, 0u);
}

TEST(SetSleep, a_sleeper_lets_cancelled_calls_go)
{
    start_here(1);
    atomic_store(&calls[0].cancelled, true);
    told_there = NAME_OF_CANCELS;
    EXPECT_EQ(set_sleep(&lane, false, &go), true);
    EXPECT_EQ(calls[0].interrupted, true);
    EXPECT_EQ(duplicates, 0u);
}

TEST(SetSleep, one_scheduler_sleeps_in_the_set)
{
    start_here(0);
    atomic_store(&lane.readiness.slept_in, true);
    EXPECT_EQ(set_sleep(&lane, false, &go), false);
    EXPECT_EQ(atomic_load(&lane.readiness.slept_in), true);
    start_here(0);
    lane.readiness.kick_fd = -1;
    EXPECT_EQ(set_sleep(&lane, false, &go), false);
}

/* The kick of a scheduler that is about to enter the set is fetched by one that serves in
 * passing. */
TEST(SetSleep, a_kick_that_another_fetches_goes_on)
{
    start_here(1);
    told_there = NAME_OF_KICK;
    watched_before_sleep(&lane);
    EXPECT_EQ(kicks, 0u); /* nobody sleeps there */
    atomic_store(&lane.readiness.slept_in, true);
    watched_before_sleep(&lane);
    EXPECT_EQ(kicks, 1u);
}

TEST(SetSleep, a_poller_rests_while_the_scheduler_is_awake)
{
    start_here(0);
    watched_after_sleep(&lane);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
    EXPECT_EQ(atomic_load(&lane.readiness.resting), 0u);
    watched_before_sleep(&lane);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
}

TEST(SetSleep, a_poller_rests_while_a_scheduler_sleeps_in_the_set)
{
    start_here(0);
    watched_before_sleep(&lane);
    rest(&lane);
    EXPECT_EQ(rests, 0u);
    atomic_store(&lane.readiness.slept_in, true);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
}

/* Longer and longer, up to LONGEST_REST. */
TEST(SetSleep, a_poller_rests_on_while_a_scheduler_falls_asleep_in_the_set)
{
    start_here(0);
    atomic_store(&lane.readiness.slept_in, true);
    sleeps_meanwhile = 5;
    rest(&lane);
    EXPECT_EQ(rests, 6u);
    EXPECT_EQ(rested_until[0], double_now + FIRST_REST);
    EXPECT_EQ(rested_until[1], double_now + 2 * FIRST_REST);
    EXPECT_EQ(rested_until[2], double_now + LONGEST_REST);
    EXPECT_EQ(rested_until[5], double_now + LONGEST_REST);
    EXPECT_EQ(atomic_load(&lane.readiness.resting), 0u);
}

TEST(SetSleep, a_poller_that_is_woken_rests_no_more)
{
    start_here(0);
    atomic_store(&lane.readiness.slept_in, true);
    sleeps_meanwhile = 5;
    one_sleeps_elsewhere = true;
    rest(&lane);
    EXPECT_EQ(rests, 1u);
    EXPECT_EQ(wakes, 1u);
}

TEST(SetSleep, a_turn_that_comes_alone_is_not_soon)
{
    uint64_t last = 0;
    double_now = SOON;
    EXPECT_EQ(comes_soon(&last), false);
    double_now += SOON - 1;
    EXPECT_EQ(comes_soon(&last), true);
    double_now += SOON;
    EXPECT_EQ(comes_soon(&last), false);
}
