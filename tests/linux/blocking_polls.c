/* SPDX-License-Identifier: MIT
 *
 * blocking_polls.c - poll, select and epoll waits: with an event, with a time-out, with a mask.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_MS = 150, EARLY_MS = TIMEOUT_MS - 5 };

static void write_byte(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void run_event(block_step step)
{
    struct block_case c = {.block = step, .complete = write_byte};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void run_timeout(block_step step)
{
    struct block_case c = {.block = step};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

#define EXPECT_TIMED_OUT(call)                                                                     \
    do {                                                                                           \
        long long started = now_ms();                                                              \
                                                                                                   \
        EXPECT_EQ(call, 0);                                                                        \
        EXPECT_GE(elapsed_ms(started), EARLY_MS);                                                  \
        EXPECT_LT(elapsed_ms(started), 5000);                                                      \
    } while (0)

/* ---- poll ---- */

static void poll_event(struct block_case *c)
{
    struct pollfd set[2] = {{c->fd[0], POLLIN, 0}, {c->fd[1], POLLIN, 0}};

    EXPECT_EQ(poll(set, 2, -1), 1);
    EXPECT_EQ(set[0].revents, POLLIN);
    EXPECT_EQ(set[1].revents, 0);
}

CALL_TEST(BlockingPolls, poll_for_ever, run_event(poll_event))

static void poll_one(struct block_case *c)
{
    struct pollfd set = {c->fd[0], POLLIN | POLLPRI | POLLERR, 0x7f};

    EXPECT_EQ(poll(&set, 1, -1), 1);
    EXPECT_EQ(set.revents, POLLIN);
}

CALL_TEST(BlockingPolls, poll_of_one_for_ever, run_event(poll_one))

/* Asked for nothing, a poll tells of the end all the same. */
static void poll_end(struct block_case *c)
{
    struct pollfd set = {c->fd[0], 0, 0};

    EXPECT_EQ(ppoll(&set, 1, NULL, NULL), 1);
    EXPECT_EQ(set.revents, POLLHUP);
}

static void close_other_end(struct block_case *c)
{
    close(c->fd[1]);
    c->fd[1] = -1;
}

TEST(BlockingPolls, poll_for_the_end)
{
    struct block_case c = {.block = poll_end, .complete = close_other_end};

    make_pipe(c.fd);
    run_block_case(&c);
    close(c.fd[0]);
}

/* The number is another pipe's when the byte comes. */
static void move_number(struct block_case *c)
{
    int other[2];

    make_pipe(other);
    EXPECT_EQ(dup2(other[0], c->fd[0]), c->fd[0]);
    write_byte(c);
    close(other[0]);
    close(other[1]);
}

TEST(BlockingPolls, poll_of_a_number_that_changes_hands)
{
    struct block_case c = {.block = poll_one, .complete = move_number};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

/* The new file of that number has an end to tell of. The poll is for the file that it began with. */
static void move_number_to_an_end(struct block_case *c)
{
    int other[2];

    make_pipe(other);
    EXPECT_EQ(dup2(other[0], c->fd[0]), c->fd[0]);
    close(other[0]);
    close(other[1]);
    write_byte(c);
}

TEST(BlockingPolls, poll_of_a_number_that_becomes_an_ended_pipes)
{
    struct block_case c = {.block = poll_one, .complete = move_number_to_an_end};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void poll_timeout(struct block_case *c)
{
    struct pollfd set = {c->fd[0], POLLIN, 0x7f};

    EXPECT_TIMED_OUT(poll(&set, 1, TIMEOUT_MS));
    EXPECT_EQ(set.revents, 0);
}

CALL_TEST(BlockingPolls, poll_times_out, run_timeout(poll_timeout))

static void poll_nothing(struct block_case *c)
{
    EXPECT_TIMED_OUT(poll(NULL, 0, TIMEOUT_MS));
}

CALL_TEST(BlockingPolls, poll_as_a_sleep, run_timeout(poll_nothing))

static void ppoll_event(struct block_case *c)
{
    struct pollfd set = {c->fd[0], POLLIN, 0};
    struct timespec limit = {10, 0};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    EXPECT_EQ(ppoll(&set, 1, &limit, &mask), 1);
    EXPECT_EQ(set.revents, POLLIN);
}

CALL_TEST(BlockingPolls, ppoll_with_a_mask, run_event(ppoll_event))

static void ppoll_timeout(struct block_case *c)
{
    struct pollfd set = {c->fd[0], POLLIN, 0};
    struct timespec limit = {0, TIMEOUT_MS * 1000000};

    EXPECT_TIMED_OUT(ppoll(&set, 1, &limit, NULL));
}

CALL_TEST(BlockingPolls, ppoll_times_out, run_timeout(ppoll_timeout))

UNBLOCKED_TEST(BlockingPolls, poll_that_need_not_wait, 5, .make = make_pipe)
{
    struct pollfd set = {c->fd[0], POLLIN, 0};

    for (int i = 0; i < 200; i++)
        EXPECT_EQ(poll(&set, 1, 0), 0);
    set.events = POLLOUT;
    set.fd = c->fd[1];
    for (int i = 0; i < 200; i++)
        EXPECT_EQ(poll(&set, 1, -1), 1);
    set.fd = 9999;
    EXPECT_EQ(poll(&set, 1, -1), 1);
    EXPECT_EQ(set.revents, POLLNVAL);
}

/* ---- select ---- */

static void select_event(struct block_case *c)
{
    fd_set readable;
    fd_set writable;

    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(c->fd[0], &readable);
    EXPECT_EQ(select(c->fd[0] + 1, &readable, &writable, NULL, NULL), 1);
    EXPECT_NE(FD_ISSET(c->fd[0], &readable), 0);
}

CALL_TEST(BlockingPolls, select_for_ever, run_event(select_event))

static void select_timeout(struct block_case *c)
{
    struct timeval limit = {0, TIMEOUT_MS * 1000};
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(c->fd[0], &readable);
    EXPECT_TIMED_OUT(select(c->fd[0] + 1, &readable, NULL, NULL, &limit));
    EXPECT_EQ(FD_ISSET(c->fd[0], &readable), 0);
    /* Linux writes back what is left. */
    EXPECT_EQ(limit.tv_sec, 0);
    EXPECT_EQ(limit.tv_usec, 0);
}

CALL_TEST(BlockingPolls, select_times_out, run_timeout(select_timeout))

static void pselect_event(struct block_case *c)
{
    struct timespec limit = {10, 0};
    fd_set readable;
    sigset_t mask;

    sigemptyset(&mask);
    FD_ZERO(&readable);
    FD_SET(c->fd[0], &readable);
    EXPECT_EQ(pselect(c->fd[0] + 1, &readable, NULL, NULL, &limit, &mask), 1);
}

CALL_TEST(BlockingPolls, pselect_with_a_mask, run_event(pselect_event))

/* ---- epoll ---- */

static int make_epoll(struct block_case *c)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x1122334455667788ull};

    EXPECT_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, c->fd[0], &event), 0);
    return fd;
}

static void check_event(const struct epoll_event *event)
{
    EXPECT_EQ(event->events, EPOLLIN);
    EXPECT_EQ(event->data.u64, 0x1122334455667788ull);
}

static void epoll_event_step(struct block_case *c)
{
    struct epoll_event events[4];
    int fd = make_epoll(c);

    EXPECT_EQ(epoll_wait(fd, events, 4, -1), 1);
    check_event(&events[0]);
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_wait_for_ever, run_event(epoll_event_step))

static void epoll_timeout(struct block_case *c)
{
    struct epoll_event events[4];
    int fd = make_epoll(c);

    EXPECT_TIMED_OUT(epoll_wait(fd, events, 4, TIMEOUT_MS));
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_wait_times_out, run_timeout(epoll_timeout))

static void epoll_pwait_event(struct block_case *c)
{
    struct epoll_event events[4];
    int fd = make_epoll(c);
    sigset_t mask;

    sigemptyset(&mask);
    EXPECT_EQ(epoll_pwait(fd, events, 4, 10000, &mask), 1);
    check_event(&events[0]);
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_pwait_with_a_mask, run_event(epoll_pwait_event))

static void epoll_pwait2_event(struct block_case *c)
{
    struct epoll_event events[4];
    struct timespec limit = {10, 0};
    int fd = make_epoll(c);

    EXPECT_EQ(epoll_pwait2(fd, events, 4, &limit, NULL), 1);
    check_event(&events[0]);
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_pwait2, run_event(epoll_pwait2_event))

static void epoll_pwait2_timeout(struct block_case *c)
{
    struct epoll_event events[4];
    struct timespec limit = {0, TIMEOUT_MS * 1000000};
    int fd = make_epoll(c);

    EXPECT_TIMED_OUT(epoll_pwait2(fd, events, 4, &limit, NULL));
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_pwait2_times_out, run_timeout(epoll_pwait2_timeout))

/* Edge-triggered and one-shot descriptors report once: nothing may eat the report. */
static void epoll_edge(struct block_case *c)
{
    struct epoll_event events[4];
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = 5};
    int fd = epoll_create1(EPOLL_CLOEXEC);

    EXPECT_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, c->fd[0], &event), 0);
    EXPECT_EQ(epoll_wait(fd, events, 4, 10000), 1);
    EXPECT_EQ(events[0].data.u64, 5);
    EXPECT_EQ(epoll_wait(fd, events, 4, 20), 0);
    event.events = EPOLLIN | EPOLLONESHOT;
    EXPECT_EQ(epoll_ctl(fd, EPOLL_CTL_MOD, c->fd[0], &event), 0);
    EXPECT_EQ(epoll_wait(fd, events, 4, 10000), 1);
    EXPECT_EQ(epoll_wait(fd, events, 4, 20), 0);
    close(fd);
}

CALL_TEST(BlockingPolls, epoll_edge_triggered_and_one_shot, run_event(epoll_edge))

static void bad_arguments(struct block_case *c)
{
    struct epoll_event events[4];

    EXPECT_ERRNO(epoll_wait(c->fd[0], events, 4, -1), EINVAL);
    EXPECT_ERRNO(epoll_wait(-1, events, 4, -1), EBADF);
    EXPECT_ERRNO(syscall(SYS_poll, (void *)1, 1, -1), EFAULT);
    EXPECT_ERRNO(syscall(SYS_select, -1, NULL, NULL, NULL, NULL), EINVAL);
}

TEST(BlockingPolls, bad_arguments)
{
    struct block_case c = {.number = 0};

    make_pipe(c.fd);
    run_in_worker(bad_arguments, &c);
    close_all(&c);
}
