/* SPDX-License-Identifier: MIT
 *
 * ordinary_user.c - no privilege is needed: the same scenario as user nobody, without capabilities.
 *
 * modes: default
 */
#include "child.h"
#include "gtest_c.h"
#include "scenario.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static int run_as_nobody(void *arg)
{
    if (geteuid() == 0) {
        EXPECT_EQ(setgroups(0, NULL), 0);
        EXPECT_EQ(setgid(NOBODY), 0);
        EXPECT_EQ(setuid(NOBODY), 0);
        EXPECT_ERRNO(setuid(0), EPERM);
    }
    return scenario_run(20);
}

TEST(OrdinaryUser, nobody)
{
    struct child_result result = child_run(run_as_nobody, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, ""); /* and without a word on stderr */
}

/* A low limit of locked memory, as ordinary users have on older systems. */
static int run_with_low_limits(void *arg)
{
    struct rlimit locked = {64 * 1024, 64 * 1024};
    struct rlimit files = {64, 64};

    EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &locked), 0);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    return run_as_nobody(arg);
}

CALL_TEST(OrdinaryUser, low_limits, EXPECT_IN_CHILD(run_with_low_limits, NULL, 20000))

/* A core file or a debugger may be forbidden (as after a change of user). */
static int run_undumpable(void *arg)
{
    EXPECT_EQ(prctl(PR_SET_DUMPABLE, 0), 0);
    return run_as_nobody(arg);
}

CALL_TEST(OrdinaryUser, undumpable, EXPECT_IN_CHILD(run_undumpable, NULL, 20000))
