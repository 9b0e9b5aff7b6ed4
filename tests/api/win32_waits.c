/* SPDX-License-Identifier: MIT
 *
 * win32_waits.c - workers that block in Win32 calls, and calls that need not wait (BL-*).
 *
 * modes: ums
 * options: LIMIT 60
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

enum { TICK_MS = 16, MANY_CALLS = 20000 };

/* The pattern of most tests here: worker 0 blocks, worker 1 runs on the same scheduler and lets it
 * go; then worker 0 must not have moved before it was executed again (BL-4). */
/* So long that the other worker runs before it is over, also beside busy programs. */
enum { VAIN_MS = 250 };

struct pair {
    void (*block)(struct pair *pair);
    void (*release)(struct pair *pair);
    int entered;
    int returned;
    HANDLE handles[3];
    CRITICAL_SECTION section;
    DWORD timeout;
};

static void blocker(struct worker *self)
{
    struct pair *pair = self->arg;

    flag_set(&pair->entered, 1);
    SetLastError(4242);
    pair->block(pair);
    flag_set(&pair->returned, 1);
}

static void releaser(struct worker *self)
{
    struct pair *pair = self->arg;

    EXPECT_EQ(flag_get(&pair->entered), 1);
    EXPECT_EQ(flag_get(&pair->returned), 0);
    if (pair->release)
        pair->release(pair);
    /* One scheduler, which runs this worker: the other one cannot have gone on. */
    for (volatile int i = 0; i < 1000000; i++) {
    }
    EXPECT_EQ(flag_get(&pair->returned), 0);
}

static void run_pair(struct pair *pair)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    int length;
    const struct activation *log;

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, blocker, pair);
    fleet_add(fleet, releaser, pair);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(pair->returned, 1);
    EXPECT_EQ(fleet_worker(fleet, 0)->blocked, 2); /* the wait, the end */
    log = fleet_log(fleet, 0, &length);
    EXPECT_GE(length, 2);
    EXPECT_EQ(log[1].reason, UmsSchedulerThreadBlocked);
    EXPECT_EQ(log[1].payload & 1, 1);
    EXPECT_EQ(log[1].who, fleet_worker(fleet, 0));
    fleet_destroy(fleet);
}

static void wait_event(struct pair *pair)
{
    EXPECT_EQ(WaitForSingleObject(pair->handles[0], pair->timeout), WAIT_OBJECT_0);
    EXPECT_EQ(GetLastError(), 4242); /* BL-6 */
}

static void set_event(struct pair *pair)
{
    EXPECT_OK(SetEvent(pair->handles[0]));
}

TEST(Win32Waits, event_BL_1_BL_4)
{
    struct pair pair = {.block = wait_event, .release = set_event, .timeout = INFINITE};

    pair.handles[0] = CreateEventA(NULL, FALSE, FALSE, NULL);
    run_pair(&pair);
    EXPECT_EQ(WaitForSingleObject(pair.handles[0], 0), WAIT_TIMEOUT); /* auto-reset: consumed */
    EXPECT_OK(CloseHandle(pair.handles[0]));
}

TEST(Win32Waits, manual_reset_event_with_timeout_BL_1)
{
    struct pair pair = {.block = wait_event, .release = set_event, .timeout = 10000};

    pair.handles[0] = CreateEventA(NULL, TRUE, FALSE, NULL);
    run_pair(&pair);
    EXPECT_EQ(WaitForSingleObject(pair.handles[0], 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(pair.handles[0]));
}

static void wait_in_vain(struct pair *pair)
{
    ULONGLONG started = stopwatch();

    EXPECT_EQ(WaitForSingleObject(pair->handles[0], VAIN_MS), WAIT_TIMEOUT);
    EXPECT_GE(stopwatch() - started, VAIN_MS - TICK_MS);
    EXPECT_LT(stopwatch() - started, 5000);
}

TEST(Win32Waits, event_that_times_out_BL_6)
{
    struct pair pair = {.block = wait_in_vain, .release = NULL};

    pair.handles[0] = CreateEventA(NULL, FALSE, FALSE, NULL);
    run_pair(&pair);
    EXPECT_OK(SetEvent(pair.handles[0])); /* no waiter is left that could consume it */
    EXPECT_EQ(WaitForSingleObject(pair.handles[0], 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(pair.handles[0]));
}

static void sleep_a_little(struct pair *pair)
{
    ULONGLONG started = stopwatch();

    Sleep(VAIN_MS);
    EXPECT_GE(stopwatch() - started, VAIN_MS - TICK_MS);
    EXPECT_EQ(GetLastError(), 4242);
}

TEST(Win32Waits, sleep_BL_1)
{
    struct pair pair = {.block = sleep_a_little, .release = NULL};

    run_pair(&pair);
}

static void wait_any(struct pair *pair)
{
    EXPECT_EQ(WaitForMultipleObjects(3, pair->handles, FALSE, INFINITE), WAIT_OBJECT_0 + 1);
}

static void set_second(struct pair *pair)
{
    EXPECT_OK(SetEvent(pair->handles[1]));
}

static void make_events(struct pair *pair)
{
    for (int i = 0; i < 3; i++) {
        pair->handles[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        EXPECT_NE(pair->handles[i], NULL);
    }
}

static void close_events(struct pair *pair)
{
    for (int i = 0; i < 3; i++)
        EXPECT_OK(CloseHandle(pair->handles[i]));
}

TEST(Win32Waits, any_of_three_BL_1)
{
    struct pair pair = {.block = wait_any, .release = set_second};

    make_events(&pair);
    run_pair(&pair);
    /* The others are unaffected. */
    EXPECT_OK(SetEvent(pair.handles[0]));
    EXPECT_EQ(WaitForMultipleObjects(3, pair.handles, FALSE, 0), WAIT_OBJECT_0);
    close_events(&pair);
}

static void wait_all(struct pair *pair)
{
    EXPECT_EQ(WaitForMultipleObjects(3, pair->handles, TRUE, 10000), WAIT_OBJECT_0);
}

static void set_all(struct pair *pair)
{
    for (int i = 2; i >= 0; i--) {
        EXPECT_OK(SetEvent(pair->handles[i]));
        EXPECT_EQ(flag_get(&pair->returned), 0);
    }
}

TEST(Win32Waits, all_of_three_BL_1)
{
    struct pair pair = {.block = wait_all, .release = set_all};

    make_events(&pair);
    run_pair(&pair);
    EXPECT_EQ(WaitForMultipleObjects(3, pair.handles, FALSE, 0), WAIT_TIMEOUT); /* all consumed */
    close_events(&pair);
}

static void wait_all_in_vain(struct pair *pair)
{
    EXPECT_EQ(WaitForMultipleObjects(3, pair->handles, TRUE, VAIN_MS), WAIT_TIMEOUT);
}

TEST(Win32Waits, all_of_three_times_out_and_consumes_nothing_BL_6)
{
    struct pair pair = {.block = wait_all_in_vain, .release = set_second};

    make_events(&pair);
    run_pair(&pair);
    EXPECT_EQ(WaitForSingleObject(pair.handles[1], 0), WAIT_OBJECT_0);
    close_events(&pair);
}

static DWORD WINAPI wait_and_return(LPVOID event)
{
    return WaitForSingleObject(event, 10000);
}

static void wait_thread(struct pair *pair)
{
    DWORD code = 99;

    EXPECT_EQ(WaitForSingleObject(pair->handles[1], 10000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(pair->handles[1], &code));
    EXPECT_EQ(code, WAIT_OBJECT_0);
}

TEST(Win32Waits, end_of_a_thread_BL_1)
{
    struct pair pair = {.block = wait_thread, .release = set_event};

    pair.handles[0] = CreateEventA(NULL, FALSE, FALSE, NULL);
    pair.handles[1] = CreateThread(NULL, 0, wait_and_return, pair.handles[0], 0, NULL);
    ASSERT_OK(pair.handles[1] != NULL);
    run_pair(&pair);
    EXPECT_OK(CloseHandle(pair.handles[1]));
    EXPECT_OK(CloseHandle(pair.handles[0]));
}

/* ---- critical sections ---- */

static void own_section(struct worker *self)
{
    struct pair *pair = self->arg;

    EnterCriticalSection(&pair->section);
    EnterCriticalSection(&pair->section); /* recursive */
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(flag_get(&pair->entered), 1);
    EXPECT_EQ(flag_get(&pair->returned), 0);
    LeaveCriticalSection(&pair->section);
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(flag_get(&pair->returned), 0);
    LeaveCriticalSection(&pair->section);
}

static void want_section(struct worker *self)
{
    struct pair *pair = self->arg;

    flag_set(&pair->entered, 1);
    EXPECT_EQ(TryEnterCriticalSection(&pair->section), 0);
    EnterCriticalSection(&pair->section);
    flag_set(&pair->returned, 1);
    LeaveCriticalSection(&pair->section);
}

TEST(Win32Waits, contended_critical_section_BL_1)
{
    struct pair pair = {0};
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    InitializeCriticalSection(&pair.section);
    fleet_add(fleet, own_section, &pair);
    fleet_add(fleet, want_section, &pair);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(pair.returned, 1);
    EXPECT_GE(fleet_worker(fleet, 1)->blocked, 2);
    DeleteCriticalSection(&pair.section);
    fleet_destroy(fleet);
}

/* ---- calls that need not wait (BL-2, BL-8) ---- */

static void cheap_calls(struct worker *self)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);

    for (int i = 0; i < MANY_CALLS; i++) {
        SetEvent(event);
        GetTickCount64();
        if (WaitForSingleObject(event, 0) != WAIT_OBJECT_0 ||
            WaitForSingleObject(event, INFINITE) != WAIT_OBJECT_0) {
            FAIL("a signalled event did not satisfy a wait");
            break;
        }
        ResetEvent(event);
        if (WaitForSingleObject(event, 0) != WAIT_TIMEOUT) {
            FAIL("a reset event satisfied a wait");
            break;
        }
    }
    EXPECT_OK(CloseHandle(event));
}

static void expect_unblocked(worker_body body)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 50000);
    fleet_add(fleet, body, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_LE(fleet_worker(fleet, 0)->blocked, 1 + 5); /* its end; BL-2 allows for page faults */
    fleet_destroy(fleet);
}

TEST(Win32Waits, calls_that_do_not_wait_BL_2)
{
    expect_unblocked(cheap_calls);
}

static void give_way(struct worker *self)
{
    for (int i = 0; i < 30; i++) { /* a turn lasts as long as all others take */
        Sleep(0);
        SwitchToThread();
        YieldProcessor();
    }
}

TEST(Win32Waits, sleep_0_and_switch_to_thread_BL_8)
{
    expect_unblocked(give_way);
}
