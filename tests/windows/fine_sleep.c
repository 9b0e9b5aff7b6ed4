/* SPDX-License-Identifier: MIT
 *
 * fine_sleep.c - a worker that sleeps in user mode is woken when its time has come, not with the
 * system's next tick, 15.6 ms apart. On the stricter system (as_windows/ticks.c); as_windows.c has
 * a thread's sleep there.
 *
 * modes: UMSSHIM_TEST_AS_WINDOWS=ticks UMSSHIM_SWITCH=inplace
 */
#include "bare.h"
#include "gtest_c.h"

enum { SLEEPS = 400, IN_A_ROW = 12, LIMIT_MS = 110 };

static double milliseconds(void)
{
    LARGE_INTEGER now, frequency;

    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    return (double)now.QuadPart * 1000 / (double)frequency.QuadPart;
}

/* One after the other: if each ended with a tick so many of them would last that many ticks, less
 * what the first one of them began late. A busy machine makes most of them last longer, not all. */
static DWORD WINAPI sleep_often(LPVOID shortest)
{
    double *least = shortest, began[SLEEPS + 1];

    for (int i = 0; i <= SLEEPS && *least >= LIMIT_MS; i++) {
        began[i] = milliseconds();
        if (i > IN_A_ROW && began[i] - began[i - IN_A_ROW] < *least)
            *least = began[i] - began[i - IN_A_ROW];
        Sleep(1);
    }
    return 0;
}

TEST(FineSleep, a_worker_does_not_wait_for_the_tick)
{
    PUMS_COMPLETION_LIST list;
    struct bare worker;
    double least = 1000;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, sleep_often, &least, 0));
    EXPECT_OK(bare_drive(list, NULL, 0, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_THAT(least < LIMIT_MS, "%d sleeps of 1 ms took %.1f ms at least", IN_A_ROW, least);
}
