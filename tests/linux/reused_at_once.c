/* SPDX-License-Identifier: MIT
 *
 * reused_at_once.c - a worker's read has just begun to wait, and its descriptor is closed, or its
 * number becomes another file's. The read goes on with the file that it began with, as in the
 * kernel. Another worker changes the number, or a plain thread while the scheduler sleeps on the
 * file.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0, UMSSHIM_RING=0
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"
#include "child.h"

#include <windows.h>

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Other threads' files get the lowest free number, so none of them gets this one. */
enum { NUMBER = 300, ROUNDS = 20, STEP_US = 20 };

/* fd 0, 1: the pipe that is read from; 2, 3: the one that comes to the number. */
static void read_x(struct block_case *c)
{
    char bytes[8] = "";

    EXPECT_EQ(read(NUMBER, bytes, sizeof bytes), 1);
    EXPECT_STREQ(bytes, "x");
}

static void write_to_both(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[3], "y", 1), 1); /* after each write those that wait are asked again */
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void by_dup2(struct block_case *c)
{
    EXPECT_EQ(dup2(c->fd[2], NUMBER), NUMBER);
    write_to_both(c);
}

static void by_dup3(struct block_case *c)
{
    EXPECT_EQ(dup3(c->fd[2], NUMBER, O_CLOEXEC), NUMBER);
    write_to_both(c);
}

static void by_close(struct block_case *c)
{
    EXPECT_EQ(close(NUMBER), 0);
    write_to_both(c);
}

static void by_close_range(struct block_case *c)
{
    EXPECT_EQ(close_range(NUMBER, NUMBER + 2, 0), 0);
    EXPECT_EQ(fcntl(c->fd[2], F_DUPFD_CLOEXEC, NUMBER), NUMBER);
    write_to_both(c);
}

static void by_closefrom(struct block_case *c)
{
    closefrom(NUMBER);
    EXPECT_EQ(fcntl(c->fd[2], F_DUPFD_CLOEXEC, NUMBER), NUMBER);
    write_to_both(c);
}

static void open_files(struct block_case *c)
{
    make_pipe(c->fd);
    make_pipe(c->fd + 2);
    EXPECT_EQ(dup2(c->fd[0], NUMBER), NUMBER);
}

static void close_files(struct block_case *c)
{
    close_all(c);
    close(NUMBER);
}

static void run(block_step change)
{
    struct block_case c = {.block = read_x, .complete = change};

    open_files(&c);
    run_block_case(&c);
    close_files(&c);
}

CALL_TEST(ReusedAtOnce, by_dup2, run(by_dup2))
CALL_TEST(ReusedAtOnce, by_dup3, run(by_dup3))
CALL_TEST(ReusedAtOnce, by_close, run(by_close))
CALL_TEST(ReusedAtOnce, by_close_range, run(by_close_range))
CALL_TEST(ReusedAtOnce, by_closefrom, run(by_closefrom))

/* ---- By a plain thread ---- */

static void read_in_fleet(struct worker *self)
{
    read_x(self->arg);
}

static void *change_when_blocked(void *arg)
{
    struct worker *reader = arg;
    struct block_case *c = reader->arg;
    long long started = now_ms();

    while (!__atomic_load_n(&reader->blocked, __ATOMIC_ACQUIRE) && elapsed_ms(started) < 10000)
        sched_yield();
    usleep((useconds_t)c->number);
    c->complete(c);
    return NULL;
}

/* A thread changes the number a step later in each round. So it does it before the scheduler
 * sleeps, while it sleeps, and when the wait is armed. */
static void run_idle(block_step change)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        struct block_case c = {.complete = change, .number = i * STEP_US};
        struct fleet *fleet = fleet_create(1, 1, FLEET_WAITS);
        pthread_t changer;

        ASSERT_NE(fleet, NULL);
        open_files(&c);
        EXPECT_EQ(pthread_create(&changer, NULL, change_when_blocked,
                                 fleet_add(fleet, read_in_fleet, &c)),
                  0);
        ASSERT_OK(fleet_run(fleet));
        EXPECT_EQ(pthread_join(changer, NULL), 0);
        fleet_destroy(fleet);
        close_files(&c);
    }
}

CALL_TEST(ReusedAtOnce, by_dup2_of_a_thread, run_idle(by_dup2))
CALL_TEST(ReusedAtOnce, by_close_of_a_thread, run_idle(by_close))
CALL_TEST(ReusedAtOnce, by_close_range_of_a_thread, run_idle(by_close_range))
