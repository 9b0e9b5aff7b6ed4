/* SPDX-License-Identifier: MIT
 *
 * unseen_waits.c - without a listener a worker that waits for the kernel in one of libc's functions
 * still leaves its scheduler: for data, time, readiness, a connection, a child. Every test runs
 * with UMSSHIM_DETECT=0.
 *
 * modes: UMSSHIM_DETECT=0, UMSSHIM_DETECT=0 UMSSHIM_RING=0, UMSSHIM_DETECT=0 UMSSHIM_FSGSBASE=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "from_now.h"
#include "gtest_c.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- What waits inside libc: the call itself is redirected to the library -------------------- */

static void read_by_number(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(syscall(SYS_read, c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void read_by_stdio(struct block_case *c)
{
    EXPECT_EQ(fgetc(c->data), 'x');
}

static void write_one(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

BLOCK_TEST(UnseenWaits, call_by_number, .make = make_pipe, .block = read_by_number,
           .complete = write_one)

TEST(UnseenWaits, stdio)
{
    struct block_case c = {.block = read_by_stdio, .complete = write_one};

    make_pipe(c.fd);
    c.data = fdopen(c.fd[0], "r");
    ASSERT_NE(c.data, NULL);
    run_block_case(&c);
    fclose(c.data);
    c.fd[0] = -1;
    close_all(&c);
}

/* ---- Sleeping -------------------------------------------------------------------------------- */

/* The longer one is until a time, which is not to be over before the call. */
enum { NAP_MS = 30, LONG_NAP_MS = 150 };

static void nap(struct block_case *c)
{
    long ms = c->number == 3 ? LONG_NAP_MS : NAP_MS;
    struct timespec time = {0, NAP_MS * 1000000}, until = from_now(CLOCK_MONOTONIC, ms), now;

    switch (c->number) {
    case 0:
        EXPECT_EQ(nanosleep(&time, NULL), 0);
        break;
    case 1:
        EXPECT_EQ(usleep(NAP_MS * 1000), 0);
        break;
    case 2:
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
        break;
    case 3:
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
        break;
    default:
        EXPECT_EQ(sleep(1), 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    EXPECT_THAT(now.tv_sec > until.tv_sec ||
                    (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec),
                "way %ld returned too early", c->number);
}

TEST(UnseenWaits, sleeping)
{
    for (int way = 0; way < 5; way++) {
        struct block_case c = {.block = nap, .number = way};

        run_block_case(&c);
    }
}

WORKER_TEST(UnseenWaits, bad_time)
{
    struct timespec bad = {0, 1000000000};

    errno = 0;
    EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
    EXPECT_EQ(errno, 0);
    EXPECT_ERRNO(nanosleep(&bad, NULL), EINVAL);
}

/* ---- Readiness, sockets, children ------------------------------------------------------------ */

static void wait_readable(struct block_case *c)
{
    struct pollfd one = {c->fd[0], POLLIN, 0};
    struct epoll_event event = {.events = EPOLLIN};
    struct timeval limit = {10, 0};
    fd_set set;
    int set_fd;

    switch (c->number) {
    case 0:
        EXPECT_EQ(poll(&one, 1, 10000), 1);
        EXPECT_EQ(one.revents, POLLIN);
        break;
    case 1:
        FD_ZERO(&set);
        FD_SET(c->fd[0], &set);
        EXPECT_EQ(select(c->fd[0] + 1, &set, NULL, NULL, &limit), 1);
        EXPECT_OK(FD_ISSET(c->fd[0], &set));
        break;
    default:
        set_fd = epoll_create1(EPOLL_CLOEXEC);
        EXPECT_EQ(epoll_ctl(set_fd, EPOLL_CTL_ADD, c->fd[0], &event), 0);
        EXPECT_EQ(epoll_wait(set_fd, &event, 1, 10000), 1);
        close(set_fd);
    }
}

static void make_readable(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(UnseenWaits, readiness)
{
    for (int way = 0; way < 3; way++) {
        struct block_case c = {.block = wait_readable, .complete = make_readable, .number = way};

        make_pipe(c.fd);
        run_block_case(&c);
        close_all(&c);
    }
}

static void accept_one(struct block_case *c)
{
    c->fd[2] = accept(c->fd[0], NULL, NULL);
    EXPECT_GT(c->fd[2], 0);
}

static void connect_one(struct block_case *c)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;

    EXPECT_EQ(getsockname(c->fd[0], (struct sockaddr *)&address, &length), 0);
    c->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c->fd[1], (struct sockaddr *)&address, length), 0);
}

TEST(UnseenWaits, accept)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct block_case c = {.block = accept_one, .complete = connect_one};

    c.fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(c.fd[0], (struct sockaddr *)&address, sizeof address), 0);
    ASSERT_EQ(listen(c.fd[0], 1), 0);
    run_block_case(&c);
    close_all(&c);
}

static void wait_for_child(struct block_case *c)
{
    int status = -1;

    EXPECT_EQ(waitpid((pid_t)c->number, &status, 0), (pid_t)c->number);
    EXPECT_EQ(status, 7 << 8);
}

TEST(UnseenWaits, child)
{
    struct block_case c = {.block = wait_for_child, .complete = make_readable};
    char byte;

    make_pipe(c.fd);
    c.number = fork();
    if (c.number == 0)
        _exit(read(c.fd[0], &byte, 1) == 1 ? 7 : 1);
    run_block_case(&c);
    close_all(&c);
}

/* ---- The first schedulers of a process ------------------------------------------------------- */

enum { SCHEDULERS = 2, WORKERS = 2 * SCHEDULERS, ROUNDS = 5, LIMIT_MS = 20000 };

static sem_t met[WORKERS];

/* Whichever comes first waits in libc for the other one of its scheduler. */
static void meet(struct worker *self)
{
    struct timespec until = from_now(CLOCK_REALTIME, LIMIT_MS);

    EXPECT_EQ(sem_post(&met[(self->index + SCHEDULERS) % WORKERS]), 0);
    EXPECT_EQ(sem_timedwait(&met[self->index], &until), 0);
}

static int begin_at_once(void *unused)
{
    struct fleet *fleet = fleet_create(SCHEDULERS, WORKERS, FLEET_OWN_LISTS | FLEET_NO_GATHER);

    if (!fleet)
        return 1;
    for (int i = 0; i < WORKERS; i++)
        EXPECT_EQ(sem_init(&met[i], 0, 0), 0);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, meet, NULL);
    EXPECT_OK(fleet_run(fleet));
    return 0;
}

/* No call of libc's goes to the kernel because the other scheduler is still at libc's code. */
TEST(UnseenWaits, schedulers_begin_at_once)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++)
        EXPECT_IN_CHILD(begin_at_once, NULL, 3 * LIMIT_MS);
}
