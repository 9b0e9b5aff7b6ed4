/* SPDX-License-Identifier: MIT
 *
 * disabled.c - UMSSHIM_DISABLE=1: as on a system without UMS, every call fails with 50 (NS-1,
 * NS-2).
 *
 * modes: UMSSHIM_DISABLE=1
 * options: ANY_SWITCH
 */
#include <windows.h>

#include "gtest_c.h"

#include <stdbool.h>
#include <stdlib.h>

static VOID NTAPI no_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    FAIL("a scheduler was entered");
}

static DWORD WINAPI no_routine(LPVOID param)
{
    FAIL("a worker ran");
    return 0;
}

static bool disabled(void)
{
    const char *value = getenv("UMSSHIM_DISABLE");

    return value && value[0] == '1';
}

TEST(Disabled, every_call_fails_NS_1_NS_2)
{
    char object[64] = {0};
    char *untouched = object;
    PVOID out = untouched;
    HANDLE event = untouched;
    UMS_SCHEDULER_STARTUP_INFO startup = {UMS_VERSION, object, no_proc, NULL};
    UMS_SYSTEM_THREAD_INFORMATION info;
    ULONG length = 99;

    if (!disabled())
        SKIP("needs UMSSHIM_DISABLE=1 in the environment");
    EXPECT_FAILS(CreateUmsCompletionList(&out), ERROR_NOT_SUPPORTED);
    EXPECT_EQ(out, NULL);
    out = untouched;
    EXPECT_FAILS(CreateUmsThreadContext(&out), ERROR_NOT_SUPPORTED);
    EXPECT_EQ(out, NULL);
    out = untouched;
    EXPECT_FAILS(DequeueUmsCompletionListItems(object, 0, &out), ERROR_NOT_SUPPORTED);
    EXPECT_EQ(out, NULL);
    EXPECT_FAILS(DeleteUmsCompletionList(object), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(DeleteUmsThreadContext(object), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(EnterUmsSchedulingMode(&startup), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(ExecuteUmsThread(object), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(GetCurrentUmsThread(), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(GetNextUmsListItem(object), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(GetUmsCompletionListEvent(object, &event), ERROR_NOT_SUPPORTED);
    EXPECT_EQ(event, untouched);
    EXPECT_FAILS(QueryUmsThreadInformation(object, UmsThreadUserContext, &out, 8, &length),
                 ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(SetUmsThreadInformation(object, UmsThreadUserContext, &out, 8),
                 ERROR_NOT_SUPPORTED);
    info.UmsVersion = UMS_VERSION;
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_NOT_SUPPORTED);
}

TEST(Disabled, worker_creation_fails_NS_1)
{
    char object[64] = {0};
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, object, object};
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;

    if (!disabled())
        SKIP("needs UMSSHIM_DISABLE=1 in the environment");
    EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    SetLastError(SENTINEL);
    /* One of the two refuses: a system without UMS may know the attribute or not (AT-7). */
    if (UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums, sizeof ums,
                                  NULL, NULL)) {
        EXPECT_FAILS(CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, no_routine, NULL, 0,
                                          attributes, NULL),
                     ERROR_NOT_SUPPORTED);
    } else {
        EXPECT_EQ(GetLastError(), ERROR_NOT_SUPPORTED);
    }
    DeleteProcThreadAttributeList(attributes);
}

static DWORD WINAPI plain(LPVOID param)
{
    *(int *)param = 1;
    return 0;
}

TEST(Disabled, plain_threads_still_work)
{
    int ran = 0;
    HANDLE thread = CreateThread(NULL, 0, plain, &ran, 0, NULL);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(ran, 1);
    EXPECT_OK(CloseHandle(thread));
}
