/* SPDX-License-Identifier: MIT
 *
 * second_listener.c - a container or sandbox holds the listener already: then calls are trapped
 * instead, without a line. If traps are not wanted, or seccomp is forbidden: one line on stderr,
 * then UMS without detection of blocking system calls. Never a hang.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "filters.h"
#include "gtest_c.h"
#include "scenario.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int run_with_listener_taken(void *arg)
{
    EXPECT_GE(occupy_listener(), 0);
    return scenario_run(10);
}

TEST(SecondListener, is_done_without)
{
    struct child_result result = child_run(run_with_listener_taken, NULL, 15000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

static int run_with_neither(void *arg)
{
    setenv("UMSSHIM_DETECT", "notify", 1);
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
    struct child_result result = child_run(run_with_neither, NULL, 15000);

    EXPECT_CHILD_OK(result);
    expect_one_line(&result);
}

static int run_with_seccomp_forbidden(void *arg)
{
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
    EXPECT_EQ(refuse_call(SYS_acct, EPERM), 0);
    return scenario_run(10);
}

TEST(SecondListener, filter_without_listener)
{
    struct child_result result = child_run(run_inside_filter, NULL, 15000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

/* ---- libc's I/O is seen without a listener as well: it leaves in user mode ------------------------- */

static void read_one(struct block_case *c)
{
    char byte = 0;

    c->entered = 1;
    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void write_one(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void receive_one(struct block_case *c)
{
    char byte = 0;

    c->entered = 1;
    EXPECT_EQ(recv(c->fd[0], &byte, 1, 0), 1);
    EXPECT_EQ(byte, 'x');
}

static void fill_and_write(struct block_case *c)
{
    c->number = (long)fill_up(c->fd[1]);
    c->entered = 1;
    EXPECT_EQ(write(c->fd[1], "y", 1), 1);
}

static void drain(struct block_case *c)
{
    EXPECT_EQ(drain_some(c->fd[0], (size_t)c->number), (size_t)c->number);
}

static int run_block_cases(void)
{
    struct block_case piped = {.block = read_one, .complete = write_one};
    struct block_case socketed = {.block = receive_one, .complete = write_one};
    struct block_case full = {.block = fill_and_write, .complete = drain};

    make_pipe(piped.fd);
    run_block_case(&piped);
    close_all(&piped);
    make_sockets(socketed.fd);
    run_block_case(&socketed);
    close_all(&socketed);
    make_pipe(full.fd);
    run_block_case(&full);
    close_all(&full);
    return tc_failures();
}

static int run_cases_with_listener_taken(void *ring)
{
    if (!ring)
        setenv("UMSSHIM_RING", "0", 1);
    setenv("UMSSHIM_DETECT", "notify", 1);
    EXPECT_GE(occupy_listener(), 0);
    return run_block_cases();
}

TEST(SecondListener, io_of_libc_is_seen)
{
    struct child_result result = child_run(run_cases_with_listener_taken, "ring", 15000);

    EXPECT_CHILD_OK(result);
    expect_one_line(&result);
}

CALL_TEST(SecondListener, io_of_libc_is_seen_without_a_ring,
          EXPECT_IN_CHILD(run_cases_with_listener_taken, NULL, 15000))

static int run_cases_undetected(void *unused)
{
    setenv("UMSSHIM_DETECT", "0", 1);
    return run_block_cases();
}

CALL_TEST(SecondListener, io_of_libc_is_seen_with_detection_off,
          EXPECT_IN_CHILD(run_cases_undetected, NULL, 15000))
