/* SPDX-License-Identifier: MIT
 *
 * futex_calls.h - futexes as tests of workers use them: the call, waking, and time.
 */
#ifndef UMSSHIM_TESTS_LINUX_FUTEX_CALLS_H
#define UMSSHIM_TESTS_LINUX_FUTEX_CALLS_H

#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "from_now.h"
#include "gtest_c.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 5000, WAIT_MS = 30, LONG_MS = 20000 };

static inline long futex(unsigned *at, int operation, unsigned value, const void *time_or_count,
                         unsigned *second, unsigned third)
{
    return syscall(SYS_futex, at, operation, value, time_or_count, second, third);
}

static inline long wake(unsigned *at, int count)
{
    return futex(at, FUTEX_WAKE_PRIVATE, (unsigned)count, NULL, NULL, 0);
}

/* A worker yields until so many others have come to their wait. */
static inline void yield_until_entered(int *entered, int count)
{
    long long started = now_ms();

    while (flag_get(entered) < count && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(entered), count);
}

/* Wakes until so many were woken, and not once: the kernel may not have all of the waits yet. */
static inline void wake_all_of(unsigned *at, int count)
{
    long long started = now_ms();
    int woken = 0;

    while (woken < count && elapsed_ms(started) < LIMIT_MS) {
        long n = wake(at, count - woken);

        EXPECT_GE(n, 0);
        woken += (int)n;
        if (woken < count)
            UmsThreadYield(NULL);
    }
    EXPECT_EQ(woken, count);
}

#endif
