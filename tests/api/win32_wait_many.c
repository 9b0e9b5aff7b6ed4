/* SPDX-License-Identifier: MIT
 *
 * win32_wait_many.c - waits for any and for all of many objects.
 *
 * modes: win32
 * except: bad_arguments, pseudo_handles
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

enum { MOST = MAXIMUM_WAIT_OBJECTS };

static void make(HANDLE *events, int count)
{
    for (int i = 0; i < count; i++) {
        events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        EXPECT_OK(events[i] != NULL);
    }
}

static void close_all(HANDLE *events, int count)
{
    for (int i = 0; i < count; i++)
        EXPECT_OK(CloseHandle(events[i]));
}

static void lowest_index(void *arg)
{
    HANDLE events[MOST];

    make(events, MOST);
    for (int i = MOST - 1; i >= 0; i -= 7)
        EXPECT_OK(SetEvent(events[i]));
    for (int i = 0; i < 10; i++) /* each time the lowest one, and that one alone is taken */
        EXPECT_EQ(WaitForMultipleObjects(MOST, events, FALSE, 0), WAIT_OBJECT_0 + i * 7);
    EXPECT_EQ(WaitForMultipleObjects(MOST, events, FALSE, 0), WAIT_TIMEOUT);
    close_all(events, MOST);
}

CALL_TEST(Win32WaitMany, any_is_the_lowest_index, in_each_kind(lowest_index, NULL))

/* ---- bad arguments ---- */

static void bad_arguments(void *arg)
{
    HANDLE events[MOST + 1];
    HANDLE same;

    make(events, MOST + 1);
    EXPECT_WAIT_FAILS(WaitForMultipleObjects(0, events, FALSE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_WAIT_FAILS(WaitForMultipleObjects(0, events, TRUE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_WAIT_FAILS(WaitForMultipleObjects(MOST + 1, events, FALSE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_WAIT_FAILS(WaitForMultipleObjectsEx(MOST + 1, events, TRUE, 0, TRUE),
                      ERROR_INVALID_PARAMETER);
    EXPECT_WAIT_FAILS(WaitForMultipleObjects(0xffffffff, events, TRUE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(WaitForMultipleObjects(MOST, events, TRUE, 0), WAIT_TIMEOUT);

    same = events[3];
    events[3] = events[9];
    EXPECT_WAIT_FAILS(WaitForMultipleObjects(12, events, TRUE, 0), ERROR_INVALID_PARAMETER);
    events[3] = same;
    close_all(events, MOST + 1);
}

CALL_TEST(Win32WaitMany, bad_arguments, in_each_kind(bad_arguments, NULL))

TEST(Win32WaitMany, garbage_in_every_place)
{
    HANDLE good[3];
    /* No closed handle: its value is free for any thread. */
    const HANDLE garbage[] = {NULL, (HANDLE)0x7777770, (HANDLE)(ULONG_PTR)0xdeadbeefcafe,
                              (HANDLE)(LONG_PTR)-77};

    make(good, 3);
    EXPECT_OK(SetEvent(good[0]));
    for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        for (int place = 0; place < 3; place++) {
            HANDLE handles[3] = {good[0], good[1], good[2]};

            handles[place] = garbage[i];
            EXPECT_WAIT_FAILS(WaitForMultipleObjects(3, handles, FALSE, 0), ERROR_INVALID_HANDLE);
            EXPECT_WAIT_FAILS(WaitForMultipleObjects(3, handles, TRUE, 0), ERROR_INVALID_HANDLE);
        }
        EXPECT_WAIT_FAILS(WaitForSingleObject(garbage[i], 0), ERROR_INVALID_HANDLE);
        EXPECT_WAIT_FAILS(WaitForSingleObjectEx(garbage[i], INFINITE, TRUE), ERROR_INVALID_HANDLE);
    }
    EXPECT_EQ(WaitForSingleObject(good[0], 0), WAIT_OBJECT_0); /* nothing was taken */
    close_all(good, 3);
}

static void pseudo_handles(void *arg)
{
    HANDLE handles[2] = {CreateEventA(NULL, FALSE, TRUE, NULL), GetCurrentThread()};
    HANDLE real = NULL;

    for (int i = 0; i < 2; i++) {
        EXPECT_WAIT_FAILS(WaitForMultipleObjects(2, handles, FALSE, 0), ERROR_INVALID_HANDLE);
        EXPECT_WAIT_FAILS(WaitForMultipleObjects(2, handles, TRUE, 0), ERROR_INVALID_HANDLE);
        EXPECT_WAIT_FAILS(WaitForMultipleObjectsEx(1, handles + 1, FALSE, 10, TRUE),
                          ERROR_INVALID_HANDLE);
        EXPECT_EQ(WaitForSingleObject(handles[1], 0), WAIT_TIMEOUT); /* takes them */
        EXPECT_OK(DuplicateHandle(GetCurrentProcess(), handles[1], GetCurrentProcess(), &real, 0,
                                  FALSE, DUPLICATE_SAME_ACCESS));
        EXPECT_EQ(WaitForMultipleObjects(1, &real, FALSE, 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(real));
        handles[1] = GetCurrentProcess();
    }
    EXPECT_EQ(WaitForMultipleObjects(1, handles, FALSE, 0), WAIT_OBJECT_0); /* nothing was taken */
    EXPECT_OK(CloseHandle(handles[0]));
}

CALL_TEST(Win32WaitMany, pseudo_handles, in_each_kind(pseudo_handles, NULL))

/* ---- all ---- */

static void all_or_nothing(void *arg)
{
    HANDLE objects[4] = {CreateEventA(NULL, FALSE, TRUE, NULL), CreateSemaphoreA(NULL, 2, 2, NULL),
                         CreateMutexA(NULL, FALSE, NULL), CreateEventA(NULL, TRUE, FALSE, NULL)};
    LONG before = 0;

    EXPECT_EQ(WaitForMultipleObjects(4, objects, TRUE, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForMultipleObjects(4, objects, TRUE, 10), WAIT_TIMEOUT);
    EXPECT_FAILS(ReleaseMutex(objects[2]), ERROR_NOT_OWNER);
    EXPECT_OK(SetEvent(objects[3]));
    EXPECT_EQ(WaitForMultipleObjects(4, objects, TRUE, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(objects[0], 0), WAIT_TIMEOUT);
    EXPECT_OK(ReleaseSemaphore(objects[1], 1, &before));
    EXPECT_EQ(before, 1);
    EXPECT_OK(ReleaseMutex(objects[2]));
    EXPECT_EQ(WaitForSingleObject(objects[3], 0), WAIT_OBJECT_0);
    close_all(objects, 4);
}

CALL_TEST(Win32WaitMany, all_or_nothing, in_each_kind(all_or_nothing, NULL))

struct crowd {
    HANDLE objects[MOST];
    int next;
};

static void wait_for_all(void *arg)
{
    struct crowd *crowd = arg;

    EXPECT_EQ(WaitForMultipleObjects(MOST, crowd->objects, TRUE, 8000), WAIT_OBJECT_0);
}

static void set_one_by_one(void *arg)
{
    struct crowd *crowd = arg;

    for (int i = 0; i < MOST; i++)
        EXPECT_OK(SetEvent(crowd->objects[(i * 37 + 11) % MOST]));
}

TEST(Win32WaitMany, all_of_64)
{
    struct crowd crowd = {.next = 0};

    make(crowd.objects, MOST);
    on_each_kind(wait_for_all, set_one_by_one, &crowd);
    EXPECT_EQ(WaitForMultipleObjects(MOST, crowd.objects, FALSE, 0), WAIT_TIMEOUT);
    close_all(crowd.objects, MOST);
}

static void wait_for_any(void *arg)
{
    struct crowd *crowd = arg;

    EXPECT_EQ(WaitForMultipleObjects(MOST, crowd->objects, FALSE, 8000),
              WAIT_OBJECT_0 + (DWORD)crowd->next);
}

static void set_next(void *arg)
{
    struct crowd *crowd = arg;

    EXPECT_OK(SetEvent(crowd->objects[crowd->next]));
}

TEST(Win32WaitMany, any_of_64)
{
    struct crowd crowd = {.next = 0};

    make(crowd.objects, MOST);
    for (crowd.next = 0; crowd.next < MOST; crowd.next += 21)
        on_each_kind(wait_for_any, set_next, &crowd);
    EXPECT_EQ(WaitForMultipleObjects(MOST, crowd.objects, FALSE, 0), WAIT_TIMEOUT);
    close_all(crowd.objects, MOST);
}

/* A wait for any may name an object twice: the lower place counts, and once. */
static void wait_same_twice(void *arg)
{
    HANDLE *two = arg;
    HANDLE handles[3] = {two[0], two[1], two[0]};

    EXPECT_EQ(WaitForMultipleObjects(3, handles, FALSE, 8000), WAIT_OBJECT_0);
}

static void set_first(void *arg)
{
    EXPECT_OK(SetEvent(*(HANDLE *)arg));
}

TEST(Win32WaitMany, the_same_twice_in_a_wait_for_any)
{
    HANDLE two[2];

    make(two, 2);
    on_each_kind(wait_same_twice, set_first, two);
    EXPECT_EQ(WaitForMultipleObjects(2, two, FALSE, 0), WAIT_TIMEOUT);
    close_all(two, 2);
}

/* ---- which waiter gets it ---- */

/* Threads of all kinds take pairs of forks, all in one step: nobody holds one and waits. */
enum { SEATS = 6, MEALS = 200 };
static HANDLE forks[SEATS];
static int in_use[SEATS];
static int next_seat;

static void dine(void *arg)
{
    int seat = flag_add(&next_seat, 1) - 1;
    int sides[2] = {seat, (seat + 1) % SEATS};
    HANDLE pair[2] = {forks[sides[0]], forks[sides[1]]};

    for (int meal = 0; meal < MEALS; meal++) {
        if (WaitForMultipleObjects(2, pair, TRUE, 8000) != WAIT_OBJECT_0) {
            FAIL("seat %d starves at meal %d", seat, meal);
            return;
        }
        for (int i = 0; i < 2; i++)
            EXPECT_EQ(flag_add(&in_use[sides[i]], 1), 1);
        if (meal % 8 == 0)
            SwitchToThread();
        for (int i = 0; i < 2; i++) {
            EXPECT_EQ(flag_add(&in_use[sides[i]], -1), 0);
            EXPECT_OK(SetEvent(pair[i]));
        }
    }
}

TEST(Win32WaitMany, dining_philosophers_of_all_kinds)
{
    struct kind_thread threads[SEATS] = {0};

    make(forks, SEATS);
    for (int i = 0; i < SEATS; i++)
        EXPECT_OK(SetEvent(forks[i]));
    for (int i = 0; i < SEATS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, dine, NULL));
    for (int i = 0; i < SEATS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(WaitForMultipleObjects(SEATS, forks, TRUE, 0), WAIT_OBJECT_0);
    close_all(forks, SEATS);
}

/* Each set of an auto-reset event lets exactly one go, whatever kinds wait for it. */
static HANDLE gate;
static int passed;

static void pass_gate(void *arg)
{
    EXPECT_EQ(WaitForSingleObject(gate, 8000), WAIT_OBJECT_0);
    flag_add(&passed, 1);
}

TEST(Win32WaitMany, plain_threads_and_workers_at_one_event)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};

    make(&gate, 1);
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, pass_gate, NULL));
    for (int i = 1; i <= THREADS; i++) {
        ULONGLONG deadline = GetTickCount64() + 5000;

        EXPECT_OK(SetEvent(gate));
        while (flag_get(&passed) < i && GetTickCount64() < deadline)
            Sleep(1);
        EXPECT_EQ(flag_get(&passed), i);
    }
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(WaitForSingleObject(gate, 0), WAIT_TIMEOUT);
    close_all(&gate, 1);
}

static void wait_manual(void *event)
{
    EXPECT_EQ(WaitForSingleObject(event, 8000), WAIT_OBJECT_0);
}

TEST(Win32WaitMany, a_manual_event_lets_all_go)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};
    HANDLE event = CreateEventExA(NULL, NULL, CREATE_EVENT_MANUAL_RESET, EVENT_ALL_ACCESS);

    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, wait_manual, event));
    EXPECT_OK(SetEvent(event));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_OK(CloseHandle(event));
}
