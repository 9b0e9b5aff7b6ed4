/* SPDX-License-Identifier: MIT
 *
 * many_waiters.c - workers that wait for one event, woken from outside UMS (BL-1, BL-5).
 *
 * modes: ums
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"

enum { WAITERS = 50 };

static void wait_in_turn(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(self->arg, 10000), WAIT_OBJECT_0);
}

static DWORD WINAPI set_fifty_times(LPVOID event)
{
    /* An auto-reset event that is set already swallows a second SetEvent: wait for the consumer. */
    for (int i = 0; i < WAITERS; i++) {
        ULONGLONG deadline = GetTickCount64() + 5000;

        EXPECT_OK(SetEvent(event));
        while (WaitForSingleObject(event, 0) == WAIT_OBJECT_0 && GetTickCount64() < deadline) {
            EXPECT_OK(SetEvent(event));
            SwitchToThread();
        }
    }
    return 0;
}

TEST(ManyWaiters, fifty_waiters_woken_by_a_plain_thread)
{
    struct fleet *fleet = fleet_create(2, WAITERS, FLEET_SHARED_READY);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < WAITERS; i++)
        fleet_add(fleet, wait_in_turn, event);
    thread = CreateThread(NULL, 0, set_fifty_times, event, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
}

static DWORD WINAPI set_once(LPVOID event)
{
    EXPECT_OK(SetEvent(event));
    return 0;
}

TEST(ManyWaiters, manual_reset_wakes_all)
{
    struct fleet *fleet = fleet_create(1, WAITERS, 0);
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < WAITERS; i++)
        fleet_add(fleet, wait_in_turn, event);
    thread = CreateThread(NULL, 0, set_once, event, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
}
