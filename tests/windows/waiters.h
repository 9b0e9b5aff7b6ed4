/* SPDX-License-Identifier: MIT
 *
 * waiters.h - what the tests of workers' waits share.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_WAITERS_H
#define UMSSHIM_TESTS_WINDOWS_WAITERS_H

#include <windows.h>

#include <stdbool.h>
#include <string.h>

#include "fleet.h"
#include "gtest_c.h"

/* In a worker: yields until the count is there, for at most 10 s. */
static inline bool reaches(const int *count, int wanted)
{
    ULONGLONG end = GetTickCount64() + 10000;

    while (flag_get(count) < wanted && GetTickCount64() < end)
        UmsThreadYield(NULL);
    return EXPECT_EQ(flag_get(count), wanted);
}

/* In a worker: yields until the other one has blocked, for at most this long. */
static inline bool reaches_its_wait(const struct worker *other, DWORD milliseconds)
{
    ULONGLONG end = GetTickCount64() + milliseconds;

    while (!*(const volatile long *)&other->blocked && GetTickCount64() < end)
        UmsThreadYield(NULL);
    return EXPECT_GE(*(const volatile long *)&other->blocked, 1);
}

/* Whether the engine was asked to switch in place. */
static inline bool in_place(void)
{
    char text[16] = "";

    GetEnvironmentVariableA("UMSSHIM_SWITCH", text, sizeof text);
    return strcmp(text, "inplace") == 0;
}

static inline double now_ms(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart * 1e3 / (double)frequency.QuadPart;
}

#endif
