/* SPDX-License-Identifier: MIT
 *
 * user_waits.c - waits of a worker for one object, which need not be made by its thread: what
 * consumes a signal, and how much of it, is as if a thread had waited.
 *
 * "strangers": without hooks of calls that signal, in place all the same.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=strangers UMSSHIM_SWITCH=inplace
 * libraries: synchronization
 */
#include "fleet.h"
#include "gtest_c.h"
#include "waiters.h"

#include <stdio.h>

enum { LIMIT_MS = 10000 };

static HANDLE object;
static int entered, returned;

static void begin(HANDLE handle)
{
    object = handle;
    entered = returned = 0;
    ASSERT_OK(object != NULL && object != INVALID_HANDLE_VALUE);
}

/* Whether a worker waits by the time its scheduler is told so: for a private object, in place. Else
 * its own thread waits, which reaches its wait a little later, or the pool does. */
static bool waits_begin_at_once(void)
{
    const char *as = getenv("UMSSHIM_TEST_AS_WINDOWS");

    return in_place() && !(as && strcmp(as, "strangers") == 0);
}

/* What most workers here do. */
static void wait_once(struct worker *self)
{
    flag_add(&entered, 1);
    EXPECT_EQ(WaitForSingleObject(object, LIMIT_MS), WAIT_OBJECT_0);
    flag_add(&returned, 1);
}

/* Of one scheduler, in this order: so many that wait, and one more. */
static void run_waiters(int count, worker_body other)
{
    struct fleet *fleet = fleet_create(1, count + 1, 0);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < count; i++)
        fleet_add(fleet, wait_once, NULL);
    fleet_add(fleet, other, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(returned, count);
    for (int i = 0; i < count; i++)
        EXPECT_GE(fleet_worker(fleet, i)->blocked, 2); /* the wait, and its end */
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(object));
}

static void expect_unset(void)
{
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
}

static void expect_set(void)
{
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_OBJECT_0);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void set_thrice(struct worker *self)
{
    EXPECT_EQ(entered, 3);
    for (int i = 1; i <= 3; i++) {
        EXPECT_EQ(flag_get(&returned), i - 1);
        EXPECT_OK(SetEvent(object));
        ASSERT_OK(reaches(&returned, i));
        expect_unset();
    }
    EXPECT_OK(SetEvent(object)); /* nobody waits: it stays */
    expect_set();
    expect_unset();
}

TEST(UserWaits, auto_event_lets_one_go)
{
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    run_waiters(3, set_thrice);
}

static void set_all(struct worker *self)
{
    EXPECT_EQ(entered, 5);
    EXPECT_EQ(flag_get(&returned), 0);
    EXPECT_OK(SetEvent(object));
    ASSERT_OK(reaches(&returned, 5));
    expect_set();
    EXPECT_OK(ResetEvent(object));
    expect_unset();
}

TEST(UserWaits, manual_event_lets_all_go)
{
    begin(CreateEventA(NULL, TRUE, FALSE, NULL));
    run_waiters(5, set_all);
}

/* A pulse that comes before a thread has reached its wait is missed, as documented: hence "until".
 */
static void pulse_until_all_went(struct worker *self)
{
    for (int i = 0; flag_get(&returned) < 3 && i < 10000; i++) {
        EXPECT_OK(PulseEvent(object));
        UmsThreadYield(NULL);
    }
    expect_unset();
}

TEST(UserWaits, pulse_of_a_manual_event)
{
    begin(CreateEventA(NULL, TRUE, FALSE, NULL));
    run_waiters(3, pulse_until_all_went);
}

TEST(UserWaits, pulse_of_an_auto_event)
{
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    run_waiters(3, pulse_until_all_went);
}

/* Set, and reset right away: those that waited before the set must be let go. */
static DWORD sleep_before;

static void set_and_reset(struct worker *self)
{
    Sleep(sleep_before);
    EXPECT_OK(SetEvent(object));
    EXPECT_OK(ResetEvent(object));
    if (waits_begin_at_once())
        ASSERT_OK(reaches(&returned, 4));
    expect_unset();
    EXPECT_OK(SetEvent(object));
}

TEST(UserWaits, reset_after_set)
{
    begin(CreateEventA(NULL, TRUE, FALSE, NULL));
    run_waiters(4, set_and_reset);
}

TEST(UserWaits, reset_after_set_of_an_event_waited_for_long)
{
    sleep_before = 30;
    begin(CreateEventA(NULL, TRUE, FALSE, NULL));
    run_waiters(4, set_and_reset);
}

static void take_what_is_there(struct worker *self)
{
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(SetEvent(object));
        EXPECT_EQ(WaitForSingleObject(object, LIMIT_MS), WAIT_OBJECT_0);
        expect_unset();
    }
    EXPECT_EQ(self->blocked, 0);
}

TEST(UserWaits, an_event_that_is_set_gives_no_upcall)
{
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    ASSERT_OK(FLEET_RUN(1, 0, {1, take_what_is_there, NULL}));
    EXPECT_OK(CloseHandle(object));
}

static void look_at_what_stays(struct worker *self)
{
    EXPECT_OK(SetEvent(object));
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(WaitForSingleObject(object, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ResetEvent(object));
    expect_unset();
    EXPECT_EQ(self->blocked, 0);
}

TEST(UserWaits, a_manual_event_that_stays_set_gives_no_upcall)
{
    begin(CreateEventA(NULL, TRUE, FALSE, NULL));
    ASSERT_OK(FLEET_RUN(1, 0, {1, look_at_what_stays, NULL}));
    EXPECT_OK(CloseHandle(object));
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

static void release_some(struct worker *self)
{
    LONG previous = -1;

    EXPECT_FAILS(ReleaseSemaphore(object, 6, NULL), ERROR_TOO_MANY_POSTS);
    EXPECT_EQ(flag_get(&returned), 0);
    EXPECT_OK(ReleaseSemaphore(object, 1, NULL));
    ASSERT_OK(reaches(&returned, 1));
    expect_unset();
    EXPECT_OK(ReleaseSemaphore(object, 1, &previous));
    EXPECT_EQ(previous, 0);
    ASSERT_OK(reaches(&returned, 2));
    expect_unset();
    EXPECT_OK(ReleaseSemaphore(object, 2, NULL));
    ASSERT_OK(reaches(&returned, 4));
    expect_unset();
    EXPECT_OK(ReleaseSemaphore(object, 3, NULL)); /* one waits: two are left */
    ASSERT_OK(reaches(&returned, 5));
    EXPECT_OK(ReleaseSemaphore(object, 1, &previous));
    EXPECT_EQ(previous, 2);
    for (int i = 0; i < 3; i++)
        expect_set();
    expect_unset();
}

TEST(UserWaits, semaphore_counts)
{
    begin(CreateSemaphoreA(NULL, 0, 5, NULL));
    run_waiters(5, release_some);
}

/* ---- Other handles of the same object -------------------------------------------------------- */

static HANDLE other_handle;

static void set_by_the_other(struct worker *self)
{
    EXPECT_EQ(entered, 2);
    for (int i = 1; i <= 2; i++) {
        EXPECT_OK(SetEvent(other_handle));
        ASSERT_OK(reaches(&returned, i));
        expect_unset();
    }
}

TEST(UserWaits, named_event_opened_twice)
{
    char name[64];

    snprintf(name, sizeof name, "umsshim-test-%lu", GetCurrentProcessId());
    begin(CreateEventA(NULL, FALSE, FALSE, name));
    other_handle = OpenEventA(EVENT_MODIFY_STATE, FALSE, name);
    ASSERT_OK(other_handle != NULL);
    run_waiters(2, set_by_the_other);
    EXPECT_OK(CloseHandle(other_handle));
}

static HANDLE duplicate(HANDLE handle)
{
    HANDLE copy = NULL;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    return copy;
}

TEST(UserWaits, event_duplicated_before)
{
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    other_handle = duplicate(object);
    run_waiters(2, set_by_the_other);
    EXPECT_OK(CloseHandle(other_handle));
}

static void duplicate_and_set(struct worker *self)
{
    other_handle = duplicate(object);
    set_by_the_other(self);
}

TEST(UserWaits, event_duplicated_while_workers_wait)
{
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    run_waiters(2, duplicate_and_set);
    EXPECT_OK(CloseHandle(other_handle));
}

TEST(UserWaits, inheritable_event)
{
    SECURITY_ATTRIBUTES inherit = {sizeof inherit, NULL, TRUE};

    begin(CreateEventA(&inherit, FALSE, FALSE, NULL));
    other_handle = object;
    run_waiters(2, set_by_the_other);
}

/* ---- Handles that are closed ----------------------------------------------------------------- */

static void close_then_set(struct worker *self)
{
    EXPECT_EQ(entered, 2);
    if (!other_handle)
        other_handle = duplicate(object);
    EXPECT_OK(CloseHandle(object));
    EXPECT_OK(SetEvent(other_handle));
    EXPECT_OK(SetEvent(other_handle));
    for (int i = 0; flag_get(&returned) < 2 && i < 10000; i++) {
        EXPECT_OK(SetEvent(other_handle)); /* two sets may be one */
        UmsThreadYield(NULL);
    }
    object = other_handle;
}

#define NEEDS_WAITS_THAT_BEGIN_AT_ONCE()                                                           \
    do {                                                                                           \
        if (!waits_begin_at_once())                                                                \
            SKIP("a thread may not have reached its wait when the handle is closed");              \
    } while (0)

TEST(UserWaits, handle_closed_while_workers_wait_the_object_set_by_another)
{
    NEEDS_WAITS_THAT_BEGIN_AT_ONCE();
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    other_handle = NULL;
    run_waiters(2, close_then_set);
}

static void time_out(struct worker *self)
{
    flag_add(&entered, 1);
    EXPECT_EQ(WaitForSingleObject(object, 40), WAIT_TIMEOUT);
    flag_add(&returned, 1);
}

static void close_and_make_another(struct worker *self)
{
    HANDLE same[8];

    ASSERT_OK(reaches(&entered, 1));
    EXPECT_OK(CloseHandle(object));
    for (int i = 0; i < 8;
         i++) { /* one of them has the value of the old one, and is another event */
        same[i] = CreateEventA(NULL, FALSE, TRUE, NULL);
        EXPECT_OK(SetEvent(same[i]));
    }
    ASSERT_OK(reaches(&returned, 1));
    for (int i = 0; i < 8; i++) {
        EXPECT_EQ(WaitForSingleObject(same[i], 0), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(same[i]));
    }
}

TEST(UserWaits, handle_closed_and_its_value_used_again)
{
    NEEDS_WAITS_THAT_BEGIN_AT_ONCE();
    begin(CreateEventA(NULL, FALSE, FALSE, NULL));
    ASSERT_OK(FLEET_RUN(1, 0, {1, time_out, NULL}, {1, close_and_make_another, NULL}));
}
