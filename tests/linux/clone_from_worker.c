/* SPDX-License-Identifier: MIT
 *
 * clone_from_worker.c - a worker copies the process by libc's clone, which calls no fork handler.
 * The copy's calls wait as in any process, and so do its parent's.
 *
 * modes: default, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0, UMSSHIM_DETECT=0 UMSSHIM_RING=0
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 256 << 10, CODE = 7, CODE_OF_SECOND = 3 };

static char stacks[2][STACK] __attribute__((aligned(16)));
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int second(void *unused)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    usleep(2000);
    _exit(CODE_OF_SECOND);
}

static int first(void *arg)
{
    const struct block_case *c = arg;
    char byte = 0;
    int status = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(c->fd[0], &byte, 1) != 1 || byte != 'a')
        _exit(20);
    usleep(1000);
    if (pthread_mutex_lock(&guard) != 0 || pthread_mutex_unlock(&guard) != 0)
        _exit(21);
    pid_t child = clone(second, stacks[1] + STACK, SIGCHLD, NULL);
    if (child < 0 || waitpid(child, &status, 0) != child)
        _exit(22);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != CODE_OF_SECOND)
        _exit(23);
    if (write(c->fd[3], "b", 1) != 1)
        _exit(24);
    _exit(CODE);
}

static void clone_and_wait(struct block_case *c)
{
    char byte = 0;
    int status = 0;

    make_pipe(c->fd);
    make_pipe(c->fd + 2);
    pid_t child = clone(first, stacks[0] + STACK, SIGCHLD, c);
    ASSERT_THAT(child > 0, "clone gave %d", (int)child);
    usleep(2000); /* it waits by now, as a rule */
    EXPECT_EQ(write(c->fd[1], "a", 1), 1);
    EXPECT_EQ(read(c->fd[2], &byte, 1), 1);
    EXPECT_EQ(byte, 'b');
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_THAT(WIFEXITED(status) && WEXITSTATUS(status) == CODE, "the status is 0x%x", status);
    close_all(c);
}

static int clone_in_child(void *unused)
{
    struct block_case c = {.number = 0};

    run_in_worker(clone_and_wait, &c);
    return 0;
}

CALL_TEST(CloneFromWorker, waits_as_a_process_of_its_own,
          EXPECT_IN_CHILD(clone_in_child, NULL, 20000))
