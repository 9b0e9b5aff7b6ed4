/* SPDX-License-Identifier: MIT
 *
 * Hazard: schedulers whose workers have nothing to do with each other write one cache line, and so hold each other
 * up, the more the more processors there are. The checked library notes who writes what (platform/lines) and says it
 * at the end of the process: pairs of workers on eight schedulers, each with objects of its own, write no line in
 * common; with one event in common they do. CMakeLists.txt says what ctest looks for in the output.
 */
#include "fleet.h"
#include "gtest_c.h"

enum { SCHEDULERS = 8, ROUNDS = 1500 };

static struct pair {
    HANDLE events[2], semaphores[2];
    _Alignas(64) SRWLOCK lock;
    _Alignas(64) volatile LONG turn;
    HANDLE common;
} __attribute__((aligned(4096))) pairs[SCHEDULERS];

static void play(struct worker *self)
{
    struct pair *pair = self->arg;
    int who = self->index % 2;
    LONG other = 1 - who;

    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        EXPECT_EQ(WaitForSingleObject(pair->events[who], INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(SetEvent(pair->events[other]));
        EXPECT_EQ(WaitForSingleObject(pair->semaphores[who], INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(ReleaseSemaphore(pair->semaphores[other], 1, NULL));
        while (pair->turn == other)
            EXPECT_OK(WaitOnAddress(&pair->turn, &other, sizeof other, INFINITE));
        pair->turn = other;
        WakeByAddressSingle((PVOID)&pair->turn);
        AcquireSRWLockExclusive(&pair->lock);
        if (round % 4 == 0)
            UmsThreadYield(NULL);
        ReleaseSRWLockExclusive(&pair->lock);
        if (pair->common)
            EXPECT_OK(SetEvent(pair->common));
    }
}

static DWORD WINAPI run_pair(LPVOID arg)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    struct pair *pair = arg;

    for (int who = 0; who < 2; who++) {
        pair->events[who] = CreateEventA(NULL, FALSE, who == 0, NULL);
        pair->semaphores[who] = CreateSemaphoreA(NULL, who == 0, 1, NULL);
        fleet_add(fleet, play, pair);
    }
    return fleet_run(fleet) ? 0 : 1;
}

static void run_all(HANDLE common)
{
    HANDLE threads[SCHEDULERS];

    for (int i = 0; i < SCHEDULERS; i++) {
        pairs[i].common = common;
        threads[i] = CreateThread(NULL, 0, run_pair, &pairs[i], 0, NULL);
        ASSERT_OK(threads[i] != NULL);
    }
    EXPECT_EQ(WaitForMultipleObjects(SCHEDULERS, threads, TRUE, 25000), WAIT_OBJECT_0);
}

TEST(UnrelatedSchedulers, with_objects_of_their_own)
{
    run_all(NULL);
}

/* A worker waits for it once, so that the library knows it. */
static void wait_for_it(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(self->arg, INFINITE), WAIT_OBJECT_0);
}

TEST(UnrelatedSchedulers, with_one_event_in_common)
{
    HANDLE common = CreateEventA(NULL, TRUE, TRUE, NULL);
    struct fleet *fleet = fleet_create(1, 1, 0);

    fleet_add(fleet, wait_for_it, common);
    EXPECT_OK(fleet_run(fleet));
    run_all(common);
}
