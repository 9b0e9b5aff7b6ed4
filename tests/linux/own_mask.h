/* SPDX-License-Identifier: MIT
 *
 * own_mask.h - one signal in the caller's mask.
 */
#ifndef UMSSHIM_TESTS_LINUX_OWN_MASK_H
#define UMSSHIM_TESTS_LINUX_OWN_MASK_H

#include "gtest_c.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool blocks(int number)
{
    sigset_t now;

    EXPECT_EQ(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    return sigismember(&now, number) == 1;
}

/* how: SIG_BLOCK or SIG_UNBLOCK */
static inline void block(int number, int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    EXPECT_EQ(sigprocmask(how, &set, NULL), 0);
}

#endif
