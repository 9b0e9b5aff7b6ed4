/* SPDX-License-Identifier: MIT
 *
 * many_deadlines.c - many timed waits at once, some of them satisfied early: no wait ends before
 * its time and none is forgotten, in whatever order the deadlines were set and the other waits
 * ended.
 *
 * modes: default
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"

enum { WORKERS = 200, LEAST_MS = 150, LATE_MS = 10000, LONG_MS = 60000, MS = 1000000 };

struct sleeper {
    HANDLE event;
    DWORD length_ms;
    BOOL set; /* its event will be set, before its time if that is long */
    DWORD result;
};

struct crowd {
    struct sleeper sleepers[WORKERS];
    int order[WORKERS]; /* in which the events are set */
    unsigned random;
};

static unsigned draw(struct crowd *crowd, unsigned below)
{
    crowd->random = crowd->random * 1103515245u + 12345u;
    return (crowd->random >> 8) % below;
}

static void sleep_once(struct worker *self)
{
    struct sleeper *sleeper = self->arg;
    LONGLONG least = (LONGLONG)sleeper->length_ms * MS;
    LARGE_INTEGER start, end;

    QueryPerformanceCounter(&start); /* nanoseconds */
    sleeper->result = WaitForSingleObject(sleeper->event, sleeper->length_ms);
    QueryPerformanceCounter(&end);
    if (sleeper->result == WAIT_TIMEOUT) {
        EXPECT_GE(end.QuadPart - start.QuadPart, least);
        EXPECT_LE(end.QuadPart - start.QuadPart, least + (LONGLONG)LATE_MS * MS);
    } else {
        EXPECT_EQ(sleeper->result, WAIT_OBJECT_0);
        EXPECT_EQ(sleeper->set, TRUE);
    }
}

static void set_events(struct worker *self)
{
    struct crowd *crowd = self->arg;

    for (int i = 0; i < WORKERS; i++) {
        struct sleeper *sleeper = &crowd->sleepers[crowd->order[i]];

        if (sleeper->set)
            EXPECT_OK(SetEvent(sleeper->event));
    }
}

static void run(DWORD (*length)(struct crowd *crowd, int index))
{
    static struct crowd crowd;
    struct fleet *fleet = fleet_create(1, WORKERS + 1, 0);

    ASSERT_NE(fleet, NULL);
    crowd.random = tc_seed();
    for (int i = 0; i < WORKERS; i++) {
        int other = (int)draw(&crowd, (unsigned)i + 1);

        crowd.order[i] = crowd.order[other];
        crowd.order[other] = i;
        crowd.sleepers[i] = (struct sleeper){.event = CreateEventA(NULL, FALSE, FALSE, NULL),
                                             .length_ms = length(&crowd, i)};
        crowd.sleepers[i].set = crowd.sleepers[i].length_ms == LONG_MS || draw(&crowd, 2);
        ASSERT_NE(crowd.sleepers[i].event, NULL);
        fleet_add(fleet, sleep_once, &crowd.sleepers[i]);
    }
    fleet_add(fleet, set_events, &crowd); /* starts when all others wait */
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i < WORKERS; i++) {
        struct sleeper *sleeper = &crowd.sleepers[i];

        if (!sleeper->set)
            EXPECT_EQ(sleeper->result, WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(sleeper->event));
    }
    fleet_destroy(fleet);
}

static DWORD alike(struct crowd *crowd, int index)
{
    return LEAST_MS;
}

static DWORD rising(struct crowd *crowd, int index)
{
    return LEAST_MS + (DWORD)index;
}

static DWORD falling(struct crowd *crowd, int index)
{
    return LEAST_MS + WORKERS - (DWORD)index;
}

static DWORD at_random(struct crowd *crowd, int index)
{
    return LEAST_MS + draw(crowd, WORKERS);
}

/* Short ones and time-outs that never come, which hold nobody up. */
static DWORD two_lengths(struct crowd *crowd, int index)
{
    return index % 2 ? LEAST_MS : LONG_MS;
}

CALL_TEST(ManyDeadlines, alike, run(alike))
CALL_TEST(ManyDeadlines, rising, run(rising))
CALL_TEST(ManyDeadlines, falling, run(falling))
CALL_TEST(ManyDeadlines, at_random, run(at_random))
CALL_TEST(ManyDeadlines, two_lengths, run(two_lengths))
