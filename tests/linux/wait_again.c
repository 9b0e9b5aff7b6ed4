/* SPDX-License-Identifier: MIT
 *
 * wait_again.c - waits for any of several objects, time after time: for the same objects, for
 * others in between, and by several threads at once. An object of an earlier wait must neither
 * satisfy a wait nor be missed by one.
 *
 * modes: default, UMSSHIM_DETECT=0
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

enum { SET = 6, ROUNDS = 400, PEERS = 4, PERMITS = 3000 };

static void make(HANDLE *events, int count)
{
    for (int i = 0; i < count; i++)
        EXPECT_OK((events[i] = CreateEventA(NULL, FALSE, FALSE, NULL)) != NULL);
}

static void close_all(HANDLE *events, int count)
{
    for (int i = 0; i < count; i++)
        EXPECT_OK(CloseHandle(events[i]));
}

/* What another thread sets, now or a moment later. */
struct setter {
    HANDLE events[SET], go[2];
    volatile LONG which;
};

static DWORD WINAPI set_one(LPVOID arg)
{
    struct setter *setter = arg;

    while (WaitForSingleObject(setter->go[0], INFINITE) == WAIT_OBJECT_0 && setter->which >= 0) {
        EXPECT_OK(SetEvent(setter->events[setter->which]));
        EXPECT_OK(SetEvent(setter->go[1]));
    }
    return 0;
}

/* Before each wait another event is set, by this thread or while it waits. */
static void same_set(void *arg)
{
    struct setter setter = {.which = 0};
    HANDLE thread;

    make(setter.events, SET);
    make(setter.go, 2);
    thread = CreateThread(NULL, 0, set_one, &setter, 0, NULL);
    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        setter.which = round % SET;
        if (round % 3 == 0)
            EXPECT_OK(SetEvent(setter.events[setter.which]));
        else
            EXPECT_OK(SetEvent(setter.go[0]));
        EXPECT_EQ(WaitForMultipleObjects(SET, setter.events, FALSE, 20000),
                  WAIT_OBJECT_0 + (DWORD)(round % SET));
        if (round % 3)
            EXPECT_EQ(WaitForSingleObject(setter.go[1], 20000), WAIT_OBJECT_0);
        if (round % 50 == 0) /* nothing is left over */
            EXPECT_EQ(WaitForMultipleObjects(SET, setter.events, FALSE, 1), WAIT_TIMEOUT);
    }
    setter.which = -1;
    EXPECT_OK(SetEvent(setter.go[0]));
    EXPECT_EQ(WaitForSingleObject(thread, 20000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    close_all(setter.events, SET);
    close_all(setter.go, 2);
}

CALL_TEST(WaitAgain, for_the_same_objects, in_each_kind(same_set, NULL))

/* Two sets that share an object, parts of a set, another order, one object twice. */
static void other_sets(void *arg)
{
    HANDLE events[SET], twice[3], back[SET];

    make(events, SET);
    for (int i = 0; i < SET; i++)
        back[i] = events[SET - 1 - i];
    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        EXPECT_EQ(WaitForMultipleObjects(4, events, FALSE, 0), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(events[3]));
        EXPECT_EQ(WaitForMultipleObjects(4, events, FALSE, 1), WAIT_OBJECT_0 + 3);
        if (round % 20 == 0)
            EXPECT_EQ(WaitForMultipleObjects(4, events, FALSE, 1), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(events[5])); /* of no interest to that one */
        if (round % 20 == 0)
            EXPECT_EQ(WaitForMultipleObjects(4, events, FALSE, 1), WAIT_TIMEOUT);
        EXPECT_EQ(WaitForMultipleObjects(4, events + 2, FALSE, 1), WAIT_OBJECT_0 + 3);
        EXPECT_OK(SetEvent(events[1]));
        EXPECT_EQ(WaitForMultipleObjects(SET, back, FALSE, 1), WAIT_OBJECT_0 + SET - 2);
        twice[0] = events[2], twice[1] = events[4], twice[2] = events[2];
        if (round % 20 == 0)
            EXPECT_EQ(WaitForMultipleObjects(3, twice, FALSE, 1), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(events[2]));
        EXPECT_EQ(WaitForMultipleObjects(3, twice, FALSE, 1), WAIT_OBJECT_0);
    }
    close_all(events, SET);
}

CALL_TEST(WaitAgain, for_other_objects, in_each_kind(other_sets, NULL))

/* A handle that is closed, and made anew, is another object, though it looks alike. */
static void made_anew(void *arg)
{
    HANDLE events[SET];

    make(events, SET);
    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        int which = round % SET;

        if (round % 40 == 0)
            EXPECT_EQ(WaitForMultipleObjects(SET, events, FALSE, 1), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(events[which]));
        EXPECT_OK(CloseHandle(events[which]));
        EXPECT_EQ(WaitForMultipleObjects(SET, events, FALSE, 1), WAIT_FAILED);
        EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
        make(events + which, 1);
        if (round % 40 == 0)
            EXPECT_EQ(WaitForMultipleObjects(SET, events, FALSE, 1), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(events[which]));
        EXPECT_EQ(WaitForMultipleObjects(SET, events, FALSE, 1), WAIT_OBJECT_0 + (DWORD)which);
    }
    close_all(events, SET);
}

CALL_TEST(WaitAgain, for_objects_made_anew, in_each_kind(made_anew, NULL))

static VOID WINAPI count_call(ULONG_PTR counter)
{
    ++*(int *)counter;
}

static void with_procedures(void *arg)
{
    HANDLE events[SET];
    int calls = 0;

    make(events, SET);
    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        EXPECT_OK(QueueUserAPC(count_call, GetCurrentThread(), (ULONG_PTR)&calls));
        EXPECT_OK(SetEvent(events[2]));
        EXPECT_EQ(WaitForMultipleObjects(SET, events, FALSE, INFINITE), WAIT_OBJECT_0 + 2);
        EXPECT_EQ(calls, round);
        EXPECT_EQ(WaitForMultipleObjectsEx(SET, events, FALSE, INFINITE, TRUE), WAIT_IO_COMPLETION);
        EXPECT_EQ(calls, round + 1);
    }
    close_all(events, SET);
}

CALL_TEST(WaitAgain, with_procedures, in_each_kind(with_procedures, NULL))

/* ---- Many threads, the same semaphores: each permit is used once, and none is left lying ---- */

static struct {
    HANDLE semaphores[SET], stop;
    volatile LONG taken;
} shared;

static DWORD WINAPI take_permits(LPVOID arg)
{
    HANDLE handles[SET + 1];
    DWORD which;

    for (int i = 0; i < SET; i++)
        handles[i] = shared.semaphores[i];
    handles[SET] = shared.stop;
    while ((which = WaitForMultipleObjects(SET + 1, handles, FALSE, 20000)) < SET)
        InterlockedIncrement(&shared.taken);
    EXPECT_EQ(which, WAIT_OBJECT_0 + SET);
    return 0;
}

static void take_as_worker(struct worker *self)
{
    take_permits(NULL);
}

static DWORD WINAPI run_fleet(LPVOID fleet)
{
    return fleet_run(fleet) ? 0 : 1;
}

TEST(WaitAgain, each_permit_is_used_once)
{
    HANDLE threads[PEERS + 1];
    struct fleet *fleet = fleet_create(2, PEERS, 0);

    shared.stop = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (int i = 0; i < SET; i++)
        shared.semaphores[i] = CreateSemaphoreA(NULL, 0, PERMITS, NULL);
    for (int i = 0; i < PEERS; i++) {
        threads[i] = CreateThread(NULL, 0, take_permits, NULL, 0, NULL);
        fleet_add(fleet, take_as_worker, NULL);
    }
    threads[PEERS] = CreateThread(NULL, 0, run_fleet, fleet, 0, NULL);
    for (int i = 0; i < PERMITS; i++) {
        EXPECT_OK(ReleaseSemaphore(shared.semaphores[i % SET], 1, NULL));
        if (i % 16 == 0)
            Sleep(0);
    }
    for (int tries = 0; shared.taken != PERMITS && tries < 10000; tries++)
        Sleep(1); /* that they have all been taken is the point, not when */
    EXPECT_EQ(shared.taken, PERMITS);
    EXPECT_OK(SetEvent(shared.stop));
    EXPECT_EQ(WaitForMultipleObjects(PEERS + 1, threads, TRUE, 20000), WAIT_OBJECT_0);
    EXPECT_EQ(shared.taken, PERMITS);
}
