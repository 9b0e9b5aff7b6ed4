/* SPDX-License-Identifier: MIT
 *
 * blocking_children.c - a worker waits for a child process that a plain thread made.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for_byte(void *arg)
{
    struct block_case *c = arg;
    char byte;

    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    return 42;
}

static void wait_for_child(struct block_case *c)
{
    siginfo_t info = {0};
    int status = 0;

    EXPECT_EQ(waitid(P_PID, (id_t)c->number, &info, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(info.si_pid, c->number);
    EXPECT_EQ(info.si_status, 42);
    EXPECT_EQ(wait4((pid_t)c->number, &status, 0, NULL), c->number);
    EXPECT_EQ(WEXITSTATUS(status), 42);
    EXPECT_ERRNO(waitpid((pid_t)c->number, &status, 0), ECHILD);
}

static void wait_for_child_by_wait4(struct block_case *c)
{
    int status = 0;

    EXPECT_EQ(waitpid((pid_t)c->number, &status, 0), c->number);
    EXPECT_EQ(WEXITSTATUS(status), 42);
}

static void let_child_go(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void run_wait(block_step step)
{
    struct block_case c = {.block = step, .complete = let_child_go};
    struct child child;

    make_pipe(c.fd);
    child = child_start(wait_for_byte, &c);
    c.number = child.pid;
    run_block_case(&c);
    close(child.output_fd);
    close_all(&c);
}

TEST(BlockingChildren, wait4)
{
    run_wait(wait_for_child_by_wait4);
}

TEST(BlockingChildren, waitid)
{
    run_wait(wait_for_child);
}
