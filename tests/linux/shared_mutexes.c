/* SPDX-License-Identifier: MIT
 *
 * shared_mutexes.c - mutexes and semaphores that processes share by name: one owner at a time,
 * waits for all of several at once, and processes that are killed at any moment. Processes that own
 * one and end: shared_owners.c.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include "shared_sync.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static HANDLE mutex_of(const char *what)
{
    return OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name_of(what));
}

/* ---- One owner at a time --------------------------------------------------------------------- */

enum { ROUNDS = 500, PARTNERS = 3, WANTED = PARTNERS * ROUNDS };

static void count_up(void *unused)
{
    HANDLE mutex = mutex_of("mutex");
    HANDLE section = OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, name_of("count"));
    volatile LONG *count = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *count);

    (void)unused;
    for (int i = 0; count && i < ROUNDS; i++) {
        LONG before;

        EXPECT_EQ(WaitForSingleObject(mutex, SOON), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(mutex, SOON), WAIT_OBJECT_0);
        before = *count;
        *count = before + 1;
        EXPECT_OK(ReleaseMutex(mutex));
        EXPECT_OK(ReleaseMutex(mutex));
    }
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
}

static int run_count_up(enum kind kind)
{
    return run_on_kind(kind, count_up);
}

static int one_owner(void *unused)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));
    HANDLE section =
        CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 4096, name_of("count"));
    volatile LONG *count = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *count);
    struct partner partners[PARTNERS];

    (void)unused;
    EXPECT_OK(mutex != NULL && count != NULL);
    for (int i = 0; i < PARTNERS; i++)
        partners[i] = partner_start(run_count_up, (enum kind)(i % KINDS));
    for (int i = 0; i < PARTNERS; i++)
        expect_end(&partners[i], 0);
    EXPECT_EQ(*count, WANTED);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0);
    return 0;
}

CALL_TEST(SharedMutexes, have_one_owner_in_any_process, EXPECT_IN_CHILD(one_owner, NULL, LIMIT_MS))

/* ---- Threads that own ------------------------------------------------------------------------- */

static DWORD WINAPI take_and_end(void *mutex)
{
    return WaitForSingleObject(mutex, SOON);
}

static int thread_ends(enum kind unused)
{
    HANDLE mutex = mutex_of("mutex");
    HANDLE thread = CreateThread(NULL, 0, take_and_end, mutex, 0, NULL);

    (void)unused;
    if (WaitForSingleObject(thread, SOON) != WAIT_OBJECT_0)
        return 1;
    partner_ready();
    partner_await();
    return 0;
}

static int owner_thread_ends(void *unused)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));
    struct partner partner = partner_start(thread_ends, KIND_PLAIN);

    (void)unused;
    expect_ready(&partner);
    EXPECT_EQ(WaitForSingleObject(mutex, SOON), WAIT_ABANDONED);
    EXPECT_OK(ReleaseMutex(mutex));
    go_on(&partner);
    expect_end(&partner, 0);
    return 0;
}

CALL_TEST(SharedMutexes, are_abandoned_by_a_thread_of_another_process,
          EXPECT_IN_CHILD(owner_thread_ends, NULL, LIMIT_MS))

static int look_at_owned(enum kind unused)
{
    HANDLE mutex = CreateMutexA(NULL, TRUE, name_of("mutex"));

    (void)unused;
    if (!mutex || GetLastError() != ERROR_ALREADY_EXISTS)
        return 1;
    return WaitForSingleObject(mutex, 0) == WAIT_TIMEOUT ? 0 : 2;
}

static int initial_owner(void *unused)
{
    HANDLE mutex = CreateMutexA(NULL, TRUE, name_of("mutex"));
    struct partner partner = partner_start(look_at_owned, KIND_PLAIN);

    (void)unused;
    expect_end(&partner, 0);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    return 0;
}

CALL_TEST(SharedMutexes, have_an_owner_from_the_beginning,
          EXPECT_IN_CHILD(initial_owner, NULL, LIMIT_MS))

/* ---- Processes that are killed anywhere ------------------------------------------------------ */

enum { KILLS = 20 };

/* A process takes both objects at once and gives both back, again and again, until it is killed. */
static int use_both(enum kind unused)
{
    HANDLE both[] = {mutex_of("mutex"), OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"))};

    (void)unused;
    partner_ready();
    for (;;) {
        DWORD result = WaitForMultipleObjects(2, both, TRUE, SOON);

        if (result == WAIT_TIMEOUT || !SetEvent(both[1]) || !ReleaseMutex(both[0]))
            return 1;
    }
}

static int killed_anywhere(void *unused)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, name_of("event"));

    (void)unused;
    for (int i = 0; i < KILLS; i++) {
        struct partner partners[PARTNERS];
        DWORD result;

        for (int k = 0; k < PARTNERS; k++)
            partners[k] = partner_start(use_both, KIND_PLAIN);
        for (int k = 0; k < PARTNERS; k++)
            expect_ready(&partners[k]);
        for (int k = 0; k < PARTNERS; k++)
            kill_partner(&partners[k]);
        result = WaitForSingleObject(mutex, SOON);
        EXPECT_THAT(result == WAIT_OBJECT_0 || result == WAIT_ABANDONED, "result %u",
                    (unsigned)result);
        EXPECT_OK(SetEvent(event)); /* one that was killed may have had it */
        EXPECT_OK(ReleaseMutex(mutex));
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(event));
    }
    return 0;
}

CALL_TEST(SharedMutexes, survive_processes_that_are_killed_anywhere,
          EXPECT_IN_CHILD(killed_anywhere, NULL, LIMIT_MS))

/* ---- Semaphores ------------------------------------------------------------------------------ */

static int take_two(enum kind unused)
{
    HANDLE semaphore = OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, name_of("semaphore"));
    LONG before = -1;

    (void)unused;
    for (int i = 0; i < 2; i++)
        if (WaitForSingleObject(semaphore, SOON) != WAIT_OBJECT_0)
            return 1;
    if (!ReleaseSemaphore(semaphore, 2, &before) || before != 1)
        return 2;
    if (ReleaseSemaphore(semaphore, 1, &before) || GetLastError() != ERROR_TOO_MANY_POSTS)
        return 3;
    return 0;
}

static int semaphores(void *unused)
{
    HANDLE semaphore = CreateSemaphoreA(NULL, 3, 3, name_of("semaphore"));
    struct partner partner = partner_start(take_two, KIND_PLAIN);

    (void)unused;
    expect_end(&partner, 0);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    return 0;
}

CALL_TEST(SharedMutexes, semaphores_have_one_count, EXPECT_IN_CHILD(semaphores, NULL, LIMIT_MS))
