/* SPDX-License-Identifier: MIT
 *
 * Calls that wait for readiness (platform/linux/calls/watched.c, watch_queue.c, kept_number.c):
 * those for one file are served in their order, a duplicate is open while somebody waits by it, and
 * a poller that rests is woken by a scheduler that falls asleep.
 */
#include "platform/linux/calls/watched.c"
#include "platform/linux/calls/watch_queue.c"
#include "platform/linux/calls/kept_number.c"
#include "platform/platform.h"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { CALLS = 3, PIPE = 7, SET = 3, CANCELS = 4, NOT_OVER = 1000, RESULT = 5, NUMBERS = 1024 };

static struct lane lane;
static struct call calls[CALLS];
static unsigned available; /* reads that find something */
static bool open_duplicate[NUMBERS], in_set[NUMBERS];
static struct call *set_names[NUMBERS]; /* whose turn the set tells of */
static unsigned duplicates, wakes, rests;

static enum outcome attempt(struct call *call)
{
    EXPECT_EQ(open_duplicate[call->args[0]], true);
    if (!available)
        return CALL_WAIT;
    available--;
    call->result = RESULT;
    return CALL_DONE;
}

static const struct call_ops ops = {.attempt = attempt, .readiness = EPOLLIN};
static const struct call_row row = {.ops = &ops};

bool fd_is_disk_file(int fd)
{
    EXPECT_EQ(fd, PIPE);
    return false;
}

void deadline_of_wait(struct call *call, int fd)
{
}

void helper_submit(struct call *call)
{
    FAIL("a helper gets nothing here");
}

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->args[0], PIPE); /* as the program gave it */
    call->result = result;
}

void call_interrupt(struct call *call)
{
    EXPECT_EQ(call->args[0], PIPE);
    call->interrupted = true;
}

void own_file_let_go(int fd, int blank)
{
    EXPECT_EQ(blank, CANCELS);
    EXPECT_EQ(open_duplicate[fd], true);
    EXPECT_EQ(in_set[fd], false);
    open_duplicate[fd] = false;
    duplicates--;
}

static unsigned calls_made, fails_at; /* the call that fails; 0: none */

/* The program's number is the first of two openings of one FIFO, and the second from this call on;
 * 0: never. A place in the set belongs to one of them. */
enum { OPENINGS = 2 };
static unsigned changes_at, opening;
static unsigned duplicate_is_of[NUMBERS];
static bool has_place[OPENINGS], place_is_armed[OPENINGS];

static bool next_call_fails(void)
{
    if (++calls_made == changes_at)
        opening = 1;
    return calls_made == fails_at;
}

long own_file_duplicate(int fd, int blank, unsigned lowest)
{
    EXPECT_EQ(fd, PIPE);
    EXPECT_EQ(blank, CANCELS);
    EXPECT_EQ(lowest, FIRST_DUPLICATE);
    if (next_call_fails())
        return -EMFILE;
    long number = FIRST_DUPLICATE;

    while (open_duplicate[number])
        number++;
    open_duplicate[number] = true;
    duplicate_is_of[number] = opening;
    duplicates++;
    return number;
}

/* By the program's number. */
static long control_place(long operation, const struct epoll_event *event)
{
    if (has_place[opening] != (operation == EPOLL_CTL_MOD))
        return operation == EPOLL_CTL_ADD ? -EEXIST : -ENOENT;
    has_place[opening] = true;
    place_is_armed[opening] = event->events & EPOLLIN;
    return 0;
}

static long control(long operation, long fd, const struct epoll_event *event)
{
    if (fd == PIPE)
        return control_place(operation, event);
    EXPECT_EQ(open_duplicate[fd], true);
    EXPECT_EQ(in_set[fd], operation != EPOLL_CTL_ADD);
    in_set[fd] = operation != EPOLL_CTL_DEL;
    set_names[fd] = operation == EPOLL_CTL_DEL ? NULL : event->data.ptr;
    return 0;
}

static long kernel(long nr, const long args[6])
{
    if (nr != SYS_futex && next_call_fails())
        return -EMFILE;
    switch (nr) {
    case SYS_fstat:
        memset((void *)args[1], 0, sizeof(struct stat));
        ((struct stat *)args[1])->st_mode = S_IFIFO;
        ((struct stat *)args[1])->st_ino = 1234;
        return 0;
    case SYS_epoll_ctl:
        return control(args[1], args[2], (const struct epoll_event *)args[3]);
    case SYS_epoll_pwait:
        return 0;
    case SYS_futex:
        if ((args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
            wakes += args[0] == (long)&lane.readiness.resting;
        else
            rests++;
        return 0;
    default:
        return 0;
    }
}

/* So many wait for one pipe. */
static void start(unsigned waiting)
{
    memset(&lane, 0, sizeof lane);
    memset(calls, 0, sizeof calls);
    memset(open_duplicate, 0, sizeof open_duplicate);
    memset(in_set, 0, sizeof in_set);
    memset(set_names, 0, sizeof set_names);
    duplicates = wakes = rests = available = 0;
    calls_made = fails_at = changes_at = opening = 0;
    memset(has_place, 0, sizeof has_place);
    memset(place_is_armed, 0, sizeof place_is_armed);
    lane.epoll = SET;
    lane.cancel_fd = CANCELS;
    double_syscall = kernel;
    for (unsigned i = 0; i < CALLS; i++) {
        calls[i].entry = &row;
        calls[i].args[0] = PIPE;
        calls[i].deadline = PLAT_FOREVER;
        calls[i].result = NOT_OVER;
        watch_begin(&calls[i]);
    }
    for (unsigned i = 0; i < waiting; i++)
        EXPECT_EQ(watched_add(&lane, &calls[i]), true);
}

/* The set tells that the duplicate is ready. */
static void tell_ready(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = set_names[FIRST_DUPLICATE]};

    ASSERT_NE(event.data.ptr, NULL);
    plat_lock(&lane.readiness.serving);
    EXPECT_EQ(serve(&lane, &event, 1), false);
    plat_unlock(&lane.readiness.serving);
}

TEST(Watched, a_call_that_is_over_leaves_nothing_open)
{
    start(1);
    EXPECT_EQ(duplicates, 1u);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
    EXPECT_EQ(lane.readiness.watched, NULL);
}

TEST(Watched, those_that_wait_for_one_file_are_served_in_their_order)
{
    start(3);
    EXPECT_EQ(duplicates, 1u); /* one for all */
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(calls[1].result, NOT_OVER);
    EXPECT_EQ(duplicates, 1u);
    available = 2; /* the next is armed, and what is behind it asked */
    tell_ready();
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(calls[2].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
}

TEST(Watched, a_cancelled_call_is_let_go_and_the_next_is_armed)
{
    start(2);
    atomic_store(&calls[0].cancelled, true);
    let_go_cancelled(&lane);
    EXPECT_EQ(calls[0].interrupted, true);
    EXPECT_EQ(calls[1].result, NOT_OVER);
    EXPECT_EQ(duplicates, 1u);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
}

/* With each system call that arming makes refused in turn: what cannot be watched is left as it
 * was, for the ring, and the other one is served. */
TEST(Watched, a_call_that_cannot_be_watched_leaves_nothing_behind)
{
    unsigned refused = 0, all;

    start(2);
    all = calls_made;
    for (unsigned n = 1; n <= all; n++) {
        start(0);
        fails_at = n;
        bool added[2];
        for (unsigned i = 0; i < 2; i++) {
            added[i] = watched_add(&lane, &calls[i]);
            if (!added[i]) {
                EXPECT_EQ(calls[i].args[0], PIPE);
                refused++;
            }
        }
        fails_at = 0;
        EXPECT_EQ(added[0] || added[1], true);
        EXPECT_EQ(duplicates, 1u);
        available = 2;
        tell_ready();
        for (unsigned i = 0; i < 2; i++)
            EXPECT_EQ(calls[i].result, added[i] ? RESULT : NOT_OVER);
        EXPECT_EQ(duplicates, 0u);
        EXPECT_EQ(lane.readiness.watched, NULL);
        ASSERT_EQ(tc_failures(), 0);
    }
    EXPECT_EQ(refused, 5u); /* two duplicates, a look at each, and the set */
}

static void wait_once(void)
{
    calls[0].result = NOT_OVER;
    EXPECT_EQ(watched_add(&lane, &calls[0]), true);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
}

/* Whether the set tells of the file that the call has. */
static bool is_told(const struct call *call)
{
    long own = call->args[0];

    if (in_set[own])
        return set_names[own] == call;
    return kept_front(&lane, (uint64_t)PIPE % KEPT_NUMBERS << 1 | 1) == call &&
           place_is_armed[duplicate_is_of[own]];
}

/* The number has a place of its own, and is put on the FIFO's other opening meanwhile. */
TEST(Watched, a_number_that_changes_hands_is_told_of)
{
    for (unsigned n = 0; n < 6; n++) {
        start(0);
        for (unsigned i = 0; i < WAITS_BEFORE; i++)
            wait_once();
        EXPECT_EQ(has_place[0], true);
        changes_at = n ? calls_made + n : 0;
        EXPECT_EQ(watched_add(&lane, &calls[0]), true);
        EXPECT_THAT(is_told(&calls[0]), "it changes before call %u: nobody tells", n);
        EXPECT_EQ(duplicates, 1u);
        if (!n)
            EXPECT_EQ(in_set[calls[0].args[0]], false); /* the place tells, as it is meant to */
    }
}

/* What came meanwhile is the poller's to serve. */
TEST(Watched, a_scheduler_that_falls_asleep_wakes_a_poller_that_rests)
{
    start(0);
    watched_after_sleep(&lane);
    watched_before_sleep(&lane);
    EXPECT_EQ(wakes, 0u);
    atomic_store(&lane.readiness.resting, 1);
    watched_before_sleep(&lane);
    EXPECT_EQ(wakes, 1u);
    EXPECT_EQ(atomic_load(&lane.readiness.resting), 0u);
    watched_before_sleep(&lane);
    EXPECT_EQ(wakes, 1u);
}

TEST(Watched, a_poller_rests_while_the_scheduler_is_awake)
{
    start(0);
    watched_after_sleep(&lane);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
    EXPECT_EQ(atomic_load(&lane.readiness.resting), 0u);
    watched_before_sleep(&lane);
    rest(&lane);
    EXPECT_EQ(rests, 1u);
}
