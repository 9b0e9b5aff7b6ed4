/* SPDX-License-Identifier: MIT
 *
 * types.c - constants and layout that binaries and sources rely on (TY-1 to TY-9).
 */
#include <windows.h>

#include "gtest_c.h"

#include <stddef.h>

#define SAME(a, b) _Static_assert((a) == (b), #a " must be " #b)

SAME(UMS_VERSION, 0x0100);
SAME(RTL_UMS_VERSION, 0x0100);
SAME(UmsSchedulerStartup, 0);
SAME(UmsSchedulerThreadBlocked, 1);
SAME(UmsSchedulerThreadYield, 2);
SAME(UmsThreadInvalidInfoClass, 0);
SAME(UmsThreadUserContext, 1);
SAME(UmsThreadPriority, 2);
SAME(UmsThreadAffinity, 3);
SAME(UmsThreadTeb, 4);
SAME(UmsThreadIsSuspended, 5);
SAME(UmsThreadIsTerminated, 6);
SAME(UmsThreadMaxInfoClass, 7);
SAME(sizeof(PUMS_CONTEXT), 8);
SAME(sizeof(PUMS_COMPLETION_LIST), 8);
SAME(sizeof(BOOLEAN), 1);
SAME(sizeof(UMS_SCHEDULER_STARTUP_INFO), 32);
SAME(offsetof(UMS_SCHEDULER_STARTUP_INFO, UmsVersion), 0);
SAME(offsetof(UMS_SCHEDULER_STARTUP_INFO, CompletionList), 8);
SAME(offsetof(UMS_SCHEDULER_STARTUP_INFO, SchedulerProc), 16);
SAME(offsetof(UMS_SCHEDULER_STARTUP_INFO, SchedulerParam), 24);
SAME(sizeof(UMS_CREATE_THREAD_ATTRIBUTES), 24);
SAME(offsetof(UMS_CREATE_THREAD_ATTRIBUTES, UmsContext), 8);
SAME(offsetof(UMS_CREATE_THREAD_ATTRIBUTES, UmsCompletionList), 16);
SAME(sizeof(UMS_SYSTEM_THREAD_INFORMATION), 8);
SAME(offsetof(UMS_SYSTEM_THREAD_INFORMATION, ThreadUmsFlags), 4);
SAME(PROC_THREAD_ATTRIBUTE_UMS_THREAD, 0x00030006);

/* TY-8: which bit is which is not a constant expression. */
TEST(Types, system_thread_information_bits)
{
    UMS_SYSTEM_THREAD_INFORMATION info = {0};

    info.IsUmsSchedulerThread = 1;
    EXPECT_EQ(info.ThreadUmsFlags, 1);
    info.ThreadUmsFlags = 0;
    info.IsUmsWorkerThread = 1;
    EXPECT_EQ(info.ThreadUmsFlags, 2);
}
