/* SPDX-License-Identifier: MIT
 *
 * process_vm_refused.c - strict sandboxes refuse process_vm_readv and process_vm_writev, even to a
 * process on itself. Workers can be created all the same, calls with pointers work, and bad
 * pointers give EFAULT.
 *
 * modes: default
 */
#include "child.h"
#include "filters.h"
#include "gtest_c.h"
#include "kinds.h"
#include "scenario.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/wait.h>

static void refuse_copies(unsigned error)
{
    EXPECT_EQ(refuse_call(SYS_process_vm_readv, error), 0);
    EXPECT_EQ(refuse_call(SYS_process_vm_writev, error), 0);
}

static int run_refused(void *error)
{
    refuse_copies((unsigned)(size_t)error);
    return scenario_run(20);
}

static void expect_scenario(unsigned error)
{
    struct child_result result = child_run(run_refused, (void *)(size_t)error, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

TEST(ProcessVmRefused, eperm)
{
    expect_scenario(EPERM);
}

TEST(ProcessVmRefused, enosys)
{
    expect_scenario(ENOSYS);
}

/* pselect6 is made on copies of its sets: both directions, a set larger than nothing, bad ones. */
static void select_by_copies(void *unused)
{
    fd_set *bad = (fd_set *)8, readable;
    int ends[2];

    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], "x", 1), 1);
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    EXPECT_EQ(syscall(SYS_pselect6, ends[0] + 1, &readable, NULL, NULL, NULL, NULL), 1);
    EXPECT_OK(FD_ISSET(ends[0], &readable));
    EXPECT_EQ(syscall(SYS_pselect6, ends[0] + 1, bad, NULL, NULL, NULL, NULL), -1);
    EXPECT_EQ(errno, EFAULT);
    EXPECT_EQ(syscall(SYS_poll, (struct pollfd *)8, 1, -1), -1);
    EXPECT_EQ(errno, EFAULT);
    EXPECT_EQ(syscall(SYS_nanosleep, (void *)8, NULL), -1);
    EXPECT_EQ(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
}

static int run_calls(void *unused)
{
    refuse_copies(EPERM);
    for (int i = 0; i < 20; i++)
        in_each_kind(select_by_copies, NULL);
    return tc_failures();
}

CALL_TEST(ProcessVmRefused, pointers_of_calls, EXPECT_IN_CHILD(run_calls, NULL, 20000))

static int run_child_of_child(void *unused)
{
    int status = -1;
    pid_t child;

    refuse_copies(EPERM);
    EXPECT_EQ(scenario_run(2), 0); /* the pipe is there */
    child = fork();
    if (child == 0)
        _exit(scenario_run(20) ? 1 : 0);
    EXPECT_EQ(scenario_run(20), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return tc_failures();
}

/* What stands in for the refused calls is not shared with a forked child. */
CALL_TEST(ProcessVmRefused, in_parent_and_child_at_once,
          EXPECT_IN_CHILD(run_child_of_child, NULL, 20000))
