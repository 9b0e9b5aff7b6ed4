/* SPDX-License-Identifier: MIT
 *
 * watched_pipe.h - a lane's epoll set, and calls that wait for one pipe in it: the system below
 * platform/linux/calls/watched.c.
 */
#ifndef UMSSHIM_TESTS_UNIT_WATCHED_PIPE_H
#define UMSSHIM_TESTS_UNIT_WATCHED_PIPE_H

#include "platform/linux/calls/kept_number.c"
#include "platform/linux/calls/watch_queue.c"
#include "platform/linux/calls/watched.c"
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
static uint64_t set_names[NUMBERS]; /* what the set tells */
static unsigned duplicates;

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
    set_names[fd] = operation == EPOLL_CTL_DEL ? 0 : event->data.u64;
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
    duplicates = available = 0;
    calls_made = fails_at = changes_at = opening = 0;
    memset(has_place, 0, sizeof has_place);
    memset(place_is_armed, 0, sizeof place_is_armed);
    lane.epoll = SET;
    lane.cancel_fd = CANCELS;
    lane.readiness.kick_fd = -1;
    double_syscall = kernel;
    for (unsigned i = 0; i < CALLS; i++) {
        calls[i].entry = &row;
        calls[i].lane = &lane;
        calls[i].args[0] = PIPE;
        calls[i].deadline = PLAT_FOREVER;
        calls[i].result = NOT_OVER;
        watch_begin(&calls[i], true);
    }
    for (unsigned i = 0; i < waiting; i++)
        EXPECT_EQ(watched_add(&lane, &calls[i]), true);
}

#endif
