/* SPDX-License-Identifier: MIT
 *
 * reused_at_once.c - a worker's read has just begun to wait, and its number becomes nobody's, or
 * another file's: the read goes on with the file that it began with, as in the kernel.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0, UMSSHIM_RING=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <windows.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Where no other thread's files come, which get the lowest number that is free. */
enum { NUMBER = 300 };

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

static void run(block_step change)
{
    struct block_case c = {.block = read_x, .complete = change};

    make_pipe(c.fd);
    make_pipe(c.fd + 2);
    ASSERT_EQ(dup2(c.fd[0], NUMBER), NUMBER);
    run_block_case(&c);
    close_all(&c);
    close(NUMBER);
}

CALL_TEST(ReusedAtOnce, by_dup2, run(by_dup2))
CALL_TEST(ReusedAtOnce, by_dup3, run(by_dup3))
CALL_TEST(ReusedAtOnce, by_close, run(by_close))
CALL_TEST(ReusedAtOnce, by_close_range, run(by_close_range))
CALL_TEST(ReusedAtOnce, by_closefrom, run(by_closefrom))
