/* SPDX-License-Identifier: MIT
 *
 * second_listener.c - a container or sandbox that holds the listener already, or forbids seccomp:
 * one line on stderr, then UMS without detection of blocking system calls; never a hang.
 */
#include "child.h"
#include "filters.h"
#include "gtest_c.h"
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

static int run_with_listener_taken(void *arg)
{
    (void)arg;
    EXPECT_GE(occupy_listener(), 0);
    return scenario_run_undetected();
}

static void expect_one_line(const struct child_result *result)
{
    const char *end = strchr(result->output, '\n');

    EXPECT_THAT(end && end[1] == 0, "want one line; saw \"%s\"", result->output);
    EXPECT_THAT(strstr(result->output, "umsshim") != NULL, "saw \"%s\"", result->output);
}

TEST(SecondListener, is_reported_and_survived)
{
    struct child_result result = child_run(run_with_listener_taken, NULL, 15000);

    EXPECT_CHILD_OK(result);
    expect_one_line(&result);
}

static int run_with_seccomp_forbidden(void *arg)
{
    (void)arg;
    EXPECT_EQ(refuse_call(SYS_seccomp, EPERM), 0);
    return scenario_run_undetected();
}

TEST(SecondListener, seccomp_forbidden)
{
    struct child_result result = child_run(run_with_seccomp_forbidden, NULL, 15000);

    EXPECT_CHILD_OK(result);
    expect_one_line(&result);
}

static int run_undetected(void *arg)
{
    (void)arg;
    setenv("UMSSHIM_DETECT", "0", 1);
    return scenario_run_undetected();
}

TEST(SecondListener, detection_off_by_the_environment)
{
    struct child_result result = child_run(run_undetected, NULL, 15000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, ""); /* asked for: nothing to explain */
}

/* An outer filter without a listener, as most containers have, changes nothing. */
static int run_inside_filter(void *arg)
{
    (void)arg;
    EXPECT_EQ(refuse_call(SYS_acct, EPERM), 0);
    return scenario_run(10);
}

TEST(SecondListener, filter_without_listener)
{
    struct child_result result = child_run(run_inside_filter, NULL, 15000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}
