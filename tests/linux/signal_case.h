/* SPDX-License-Identifier: MIT
 *
 * signal_case.h - a counting handler for SIGUSR1, and a worker that pauses until it has run.
 */
#ifndef UMSSHIM_TESTS_LINUX_SIGNAL_CASE_H
#define UMSSHIM_TESTS_LINUX_SIGNAL_CASE_H

#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static int handled;

static void on_signal(int number)
{
    flag_add(&handled, 1);
}

static void install(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

    handled = 0;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static inline void pause_here(struct block_case *c)
{
    EXPECT_ERRNO(pause(), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
}

#endif
