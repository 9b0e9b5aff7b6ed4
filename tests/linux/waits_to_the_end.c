/* SPDX-License-Identifier: MIT
 *
 * waits_to_the_end.c - poll and epoll_wait whose time ends after the program has closed their number
 * or given it to another file: they have waited for the file that they began with.
 *
 * modes: default
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LONG_MS = 300, SHORT_MS = 20 };

/* The lane's ring takes waits with a limit in their order. When this one is over the ring has the
 * file of the wait that began before. */
static void wait_behind(void)
{
    struct pollfd one;
    int fd[2];

    EXPECT_EQ(pipe(fd), 0);
    one = (struct pollfd){fd[0], POLLIN, 0};
    EXPECT_EQ(poll(&one, 1, SHORT_MS), 0);
    close(fd[0]);
    close(fd[1]);
}

static void poll_in_vain(struct block_case *c)
{
    struct pollfd one = {c->fd[0], POLLIN, 0};

    EXPECT_EQ(poll(&one, 1, LONG_MS), 0);
    EXPECT_EQ(one.revents, 0);
}

static void epoll_in_vain(struct block_case *c)
{
    struct epoll_event event = {0};

    EXPECT_EQ(epoll_wait(c->fd[0], &event, 1, LONG_MS), 0);
}

static void close_it(struct block_case *c)
{
    wait_behind();
    EXPECT_EQ(syscall(SYS_close, c->fd[0]), 0);
    c->fd[0] = -1;
}

/* A pipe with a byte in it. */
static void put_another_there(struct block_case *c)
{
    int other[2];

    EXPECT_EQ(pipe(other), 0);
    EXPECT_EQ(write(other[1], "x", 1), 1);
    wait_behind();
    EXPECT_EQ(syscall(SYS_dup2, other[0], c->fd[0]), c->fd[0]);
    close(other[0]);
    close(other[1]);
}

/* An instance with an event in it, which is not taken. */
static void put_another_set_there(struct block_case *c)
{
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(EPOLL_CLOEXEC), ready[2];

    EXPECT_EQ(pipe(ready), 0);
    EXPECT_EQ(write(ready[1], "x", 1), 1);
    EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, ready[0], &event), 0);
    wait_behind();
    EXPECT_EQ(syscall(SYS_dup2, set, c->fd[0]), c->fd[0]);
    close(set);
    usleep((LONG_MS + 100) * 1000);
    close(ready[0]);
    close(ready[1]);
}

static void make_set(int *fd)
{
    fd[0] = epoll_create1(EPOLL_CLOEXEC);
}

BLOCK_TEST(WaitsToTheEnd, poll_of_a_closed_number, .make = make_pipe, .block = poll_in_vain,
           .complete = close_it)

BLOCK_TEST(WaitsToTheEnd, poll_of_another_files_number, .make = make_pipe, .block = poll_in_vain,
           .complete = put_another_there)

BLOCK_TEST(WaitsToTheEnd, epoll_wait_of_a_closed_number, .make = make_set, .block = epoll_in_vain,
           .complete = close_it)

BLOCK_TEST(WaitsToTheEnd, epoll_wait_of_another_sets_number, .make = make_set,
           .block = epoll_in_vain, .complete = put_another_set_there)
