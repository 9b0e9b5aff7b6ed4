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

static void wait_all(int schedulers, BOOL manual, LPTHREAD_START_ROUTINE set)
{
    struct fleet *fleet =
        fleet_create(schedulers, WAITERS, schedulers > 1 ? FLEET_SHARED_READY : 0);
    HANDLE event = CreateEventA(NULL, manual, FALSE, NULL);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < WAITERS; i++)
        fleet_add(fleet, wait_in_turn, event);
    fleet_run_beside(fleet, 1, set, event);
    EXPECT_OK(CloseHandle(event));
}

CALL_TEST(ManyWaiters, fifty_waiters_woken_by_a_plain_thread, wait_all(2, FALSE, set_fifty_times))

static DWORD WINAPI set_once(LPVOID event)
{
    EXPECT_OK(SetEvent(event));
    return 0;
}

CALL_TEST(ManyWaiters, manual_reset_wakes_all, wait_all(1, TRUE, set_once))
