/* SPDX-License-Identifier: MIT
 *
 * raw.h - system calls that the filter never stops, and futex wrappers over them.
 *
 * Code that runs on a carrier makes no other system calls. They return -errno.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_RAW_H
#define UMSSHIM_PLATFORM_LINUX_OS_RAW_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "platform/linux/os/call_numbers.h"
#include "platform/linux/os/fault_points.h"

long raw_syscall(long nr, long a1, long a2, long a3, long a4, long a5, long a6);
extern const char raw_syscall_ip[];

static inline __attribute__((always_inline)) long raw_or_fault(long nr, long a1, long a2, long a3,
                                                               long a4, long a5, long a6)
{
    int error = fault_asked(nr, a2);
    return error ? -error : raw_syscall(nr, a1, a2, a3, a4, a5, a6);
}

#define RAW6(nr, a, b, c, d, e, f)                                                                 \
    raw_or_fault((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define RAW5(nr, a, b, c, d, e) RAW6(nr, a, b, c, d, e, 0)
#define RAW4(nr, a, b, c, d) RAW6(nr, a, b, c, d, 0, 0)
#define RAW3(nr, a, b, c) RAW6(nr, a, b, c, 0, 0, 0)
#define RAW2(nr, a, b) RAW6(nr, a, b, 0, 0, 0, 0)
#define RAW1(nr, a) RAW6(nr, a, 0, 0, 0, 0, 0)
#define RAW0(nr) RAW6(nr, 0, 0, 0, 0, 0, 0)

/* Sleeps while *word == expected, until woken, interrupted or the absolute deadline passes.
 * Callers loop on their own condition; the result only says whether time ran out. */
static inline bool futex_wait_until(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline)
{
    struct {
        int64_t sec, nsec;
    } ts = {(int64_t)(deadline / 1000000000u), (int64_t)(deadline % 1000000000u)};
    long r = RAW6(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                  deadline == UINT64_MAX ? 0 : (long)&ts, 0, FUTEX_BITSET_MATCH_ANY);
    return r != -110; /* ETIMEDOUT */
}

static inline void futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    futex_wait_until(word, expected, UINT64_MAX);
}

static inline void futex_wake(_Atomic uint32_t *word, int count)
{
    RAW3(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
}

#endif
