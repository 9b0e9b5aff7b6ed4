/* SPDX-License-Identifier: MIT
 *
 * system_info.c - GetUmsSystemThreadInformation (SY-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

enum { SCHEDULER = 1, WORKER = 2 };

static ULONG flags_of(HANDLE thread)
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    info.UmsVersion = UMS_VERSION;
    info.ThreadUmsFlags = 0xffffffff; /* SY-1: an output */
    EXPECT_OK(GetUmsSystemThreadInformation(thread, &info));
    return info.ThreadUmsFlags;
}

TEST(SystemInfo, plain_thread_SY_2_SY_4)
{
    EXPECT_EQ(flags_of(GetCurrentThread()), 0);
}

static VOID NTAPI look(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    *(ULONG *)param = flags_of(GetCurrentThread());
}

TEST(SystemInfo, scheduler_SY_2_SY_6)
{
    PUMS_COMPLETION_LIST list = NULL;
    ULONG flags = 99;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, look, &flags));
    EXPECT_EQ(flags, SCHEDULER);
    EXPECT_EQ(flags_of(GetCurrentThread()), 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void look_in_worker(struct worker *self)
{
    EXPECT_EQ(flags_of(GetCurrentThread()), WORKER);
    EXPECT_EQ(flags_of(self->thread), WORKER);
    Sleep(1);
    EXPECT_EQ(flags_of(GetCurrentThread()), WORKER);
}

TEST(SystemInfo, worker_SY_2_SY_6)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, look_in_worker, NULL);
    EXPECT_EQ(flags_of(fleet_worker(fleet, 0)->thread), WORKER); /* never executed */
    fleet_run(fleet);
    fleet_destroy(fleet);
}

TEST(SystemInfo, version_and_null_SY_3)
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    info.UmsVersion = UMS_VERSION + 1;
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
    info.UmsVersion = 0;
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), NULL), ERROR_INVALID_PARAMETER);
}

TEST(SystemInfo, bad_handles_SY_4)
{
    UMS_SYSTEM_THREAD_INFORMATION info;
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE closed = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_OK(CloseHandle(closed));
    info.UmsVersion = UMS_VERSION;
    EXPECT_FAILS(GetUmsSystemThreadInformation(NULL, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetUmsSystemThreadInformation((HANDLE)0x123458, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetUmsSystemThreadInformation(event, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetUmsSystemThreadInformation(closed, &info), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}
