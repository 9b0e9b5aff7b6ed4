/* SPDX-License-Identifier: MIT
 *
 * block_case.c - running a blocking call in one worker and its completion in another.
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static void blocker(struct worker *self)
{
    struct block_case *c = self->arg;

    c->blocked_tid = gettid();
    c->blocked_pthread = pthread_self();
    flag_set(&c->entered, 1);
    c->block(c);
    flag_set(&c->returned, 1);
}

static void completer(struct worker *self)
{
    struct block_case *c = self->arg;

    EXPECT_EQ(flag_get(&c->entered), 1);
    if (flag_get(&c->returned))
        c->missed = 1;
    /* Worker 1 runs on, over some yields, while worker 0 is in its call. */
    for (int i = 0; i < 20; i++)
        EXPECT_OK(UmsThreadYield(NULL));
    if (c->complete) {
        EXPECT_THAT(flag_get(&c->returned) == 0, "the call returned before it was completed");
        c->complete(c);
    }
}

static void check_blocked(const struct block_case *c, struct fleet *fleet)
{
    long blocked = fleet_worker(fleet, 0)->blocked;
    struct fleet_totals totals = fleet_counts(fleet);

    EXPECT_THAT(!c->missed, "the first worker did not block");
    EXPECT_THAT(blocked >= 2, "%ld Blocked of worker 0: want one for the call, one for its end",
                blocked);
    EXPECT_THAT(totals.blocked - totals.traps >= 2, "%ld of %ld Blocked with payload bit 0",
                totals.blocked - totals.traps, totals.blocked);
}

/* Whether the case is settled; with `last` it is. A call that time completes need not block at all:
 * if other processes had the processors until its time was over, there was nothing to report. Such
 * a run proves nothing. */
static bool run_once(struct block_case *c, bool last)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    bool settled = true;

    if (!EXPECT_NE(fleet, NULL))
        return true;
    fleet_set_limit(fleet, 15000);
    fleet_add(fleet, blocker, c);
    fleet_add(fleet, completer, c);
    c->entered = c->returned = c->missed = 0;
    if (!EXPECT_OK(fleet_run(fleet)))
        return true;
    EXPECT_EQ(c->returned, 1);
    if (c->missed && !c->complete && !last)
        settled = false;
    else
        check_blocked(c, fleet);
    fleet_destroy(fleet);
    return settled;
}

void run_block_case(struct block_case *c)
{
    enum { RUNS = 3 };

    for (int run = 1; !run_once(c, run == RUNS); run++)
        ;
}

static long run_single(block_step step, struct block_case *c)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    long blocked = -1;

    if (!fleet)
        return blocked;
    fleet_set_limit(fleet, 20000);
    c->block = step;
    fleet_add(fleet, blocker, c);
    if (fleet_run(fleet)) {
        EXPECT_EQ(c->returned, 1);
        blocked = fleet_worker(fleet, 0)->blocked;
        fleet_destroy(fleet);
    }
    return blocked;
}

void run_unblocked(block_step step, struct block_case *c, int allowed)
{
    long blocked = run_single(step, c);

    EXPECT_THAT(blocked <= 1 + allowed || allowed == BLOCKED_ANY,
                "%ld Blocked, one of them for its end; %d allowed", blocked, allowed);
}

void run_in_worker(block_step step, struct block_case *c)
{
    run_single(step, c);
}

static void make_files(struct block_case *c)
{
    if (c->make)
        c->make(c->fd);
}

void run_block_test(struct block_case *c)
{
    make_files(c);
    run_block_case(c);
    close_all(c);
}

void run_worker_test(struct block_case *c, int allowed)
{
    make_files(c);
    run_unblocked(c->block, c, allowed);
    close_all(c);
}

void make_pipe(int *fd)
{
    if (pipe2(fd, O_CLOEXEC) != 0) {
        FAIL("pipe: errno %d", errno);
        fd[0] = fd[1] = -1;
    }
}

void make_sockets(int *fd)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0) {
        FAIL("socketpair: errno %d", errno);
        fd[0] = fd[1] = -1;
    }
}

void close_all(struct block_case *c)
{
    for (int i = 0; i < 4; i++) {
        if (c->fd[i] > 0) {
            close(c->fd[i]);
            c->fd[i] = 0;
        }
    }
}

void set_nonblocking(int fd, int on)
{
    int flags = fcntl(fd, F_GETFL);

    EXPECT_EQ(fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK), 0);
}

size_t fill_up(int fd)
{
    static const char bytes[4096];
    size_t total = 0;
    ssize_t length;

    set_nonblocking(fd, 1);
    while ((length = write(fd, bytes, sizeof bytes)) > 0)
        total += (size_t)length;
    while ((length = write(fd, bytes, 1)) > 0)
        total += (size_t)length;
    EXPECT_EQ(errno, EAGAIN);
    set_nonblocking(fd, 0);
    return total;
}

void make_full_pipe(int *fd)
{
    make_pipe(fd);
    fill_up(fd[1]);
}

size_t drain_some(int fd, size_t bytes)
{
    char buffer[4096];
    size_t total = 0;

    while (total < bytes) {
        size_t wanted = bytes - total < sizeof buffer ? bytes - total : sizeof buffer;
        ssize_t length = read(fd, buffer, wanted);

        if (length <= 0) {
            FAIL("read: %zd, errno %d", length, errno);
            break;
        }
        total += (size_t)length;
    }
    return total;
}

long long elapsed_ms(long long since_ms)
{
    return now_ms() - since_ms;
}
