/* SPDX-License-Identifier: MIT
 *
 * user_wait_cost.c - two workers of one scheduler that signal each other by events, against two
 * threads that do the same. The best of some rounds of each, in turn. A round of pinned workers on
 * a busy processor may take seconds: then there are fewer rounds.
 *
 * modes: default
 * labels: bench
 * options: SERIAL
 */
#include "fleet.h"
#include "gtest_c.h"
#include "waiters.h"

enum { ROUNDS = 5, TRIPS = 3000, LONG_MS = 6000, LIMIT_MS = 10000 };

static HANDLE ping, pong;

static void ask(void)
{
    for (int i = 0; i < TRIPS; i++) {
        SetEvent(ping);
        if (WaitForSingleObject(pong, INFINITE) != WAIT_OBJECT_0) {
            FAIL("a wait failed: last error %u", (unsigned)GetLastError());
            return;
        }
    }
}

static void answer(void)
{
    for (int i = 0; i < TRIPS; i++) {
        if (WaitForSingleObject(ping, INFINITE) != WAIT_OBJECT_0) {
            FAIL("a wait failed: last error %u", (unsigned)GetLastError());
            return;
        }
        SetEvent(pong);
    }
}

static void asking_worker(struct worker *self)
{
    double start = now_ms();

    ask();
    *(double *)self->arg = (now_ms() - start) * 1000 / TRIPS;
}

static void answering_worker(struct worker *self)
{
    answer();
}

static DWORD WINAPI answering_thread(LPVOID param)
{
    answer();
    return 0;
}

static double two_workers(void)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    double microseconds = 0;

    if (fleet) {
        fleet_add(fleet, answering_worker, NULL);
        fleet_add(fleet, asking_worker, &microseconds);
        EXPECT_OK(fleet_run(fleet));
        fleet_destroy(fleet);
    }
    return microseconds;
}

static double two_threads(void)
{
    HANDLE thread = CreateThread(NULL, 0, answering_thread, NULL, 0, NULL);
    double start = now_ms();

    ask();
    start = (now_ms() - start) * 1000 / TRIPS;
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    return start;
}

TEST(UserWaitCost, event_pair)
{
    double threads = 1e9, workers = 1e9, begun = now_ms();

    ping = CreateEventA(NULL, FALSE, FALSE, NULL);
    pong = CreateEventA(NULL, FALSE, FALSE, NULL);
    for (int i = 0; i < ROUNDS && now_ms() - begun < LONG_MS && !tc_failures(); i++) {
        double two = two_threads(), one = two_workers();

        threads = two < threads ? two : threads;
        workers = one < workers ? one : workers;
    }
    tc_note("event round trip: two threads %.2f us, two workers %.2f us, %.1f times faster",
            threads, workers, threads / workers);
    if (in_place())
        EXPECT_GT((int)(threads / workers * 100), 100);
    EXPECT_OK(CloseHandle(ping));
    EXPECT_OK(CloseHandle(pong));
}
