/* SPDX-License-Identifier: MIT
 *
 * bounded.c - waits for a flag that end with a recorded failure if the flag is never set.
 */
#include "fleet.h"
#include "gtest_c.h"

enum { YIELD_LIMIT_MS = 10000 };

bool yield_until(const int *flag)
{
    ULONGLONG deadline = GetTickCount64() + YIELD_LIMIT_MS;

    while (!flag_get(flag)) {
        if (GetTickCount64() > deadline) {
            FAIL("a worker yielded for %d ms and the flag it waits for is still zero",
                 YIELD_LIMIT_MS);
            return false;
        }
        if (!EXPECT_OK(UmsThreadYield(NULL)))
            return false;
    }
    return true;
}

bool wait_until(const int *flag, DWORD milliseconds)
{
    ULONGLONG deadline = GetTickCount64() + milliseconds;

    while (!flag_get(flag)) {
        if (GetTickCount64() > deadline)
            return false;
        Sleep(1);
    }
    return true;
}
