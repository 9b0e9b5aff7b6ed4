/* SPDX-License-Identifier: MIT
 *
 * ntdll_names.c - the UMS functions under ntdll's names: looked up there, they do the same as the
 * documented ones, return a status, and leave the last error alone.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

#include <stdint.h>

#define STATUS(code) ((LONG)0xC0000000 | (LONG)(code))
enum { INFO_LENGTH = 0x04, INVALID = 0x0D, NOT_SUPPORTED = 0xBB, INTERNAL = 0xE5 };

#define CALLS(_)                                                                                   \
    _(RtlCreateUmsCompletionList, (PUMS_COMPLETION_LIST *))                                        \
    _(RtlDeleteUmsCompletionList, (PUMS_COMPLETION_LIST))                                          \
    _(RtlGetUmsCompletionListEvent, (PUMS_COMPLETION_LIST, HANDLE *))                              \
    _(RtlCreateUmsThreadContext, (PUMS_CONTEXT *))                                                 \
    _(RtlDeleteUmsThreadContext, (PUMS_CONTEXT))                                                   \
    _(RtlEnterUmsSchedulingMode, (PUMS_SCHEDULER_STARTUP_INFO))                                    \
    _(RtlExecuteUmsThread, (PUMS_CONTEXT))                                                         \
    _(RtlUmsThreadYield, (PVOID))                                                                  \
    _(NtUmsThreadYield, (PVOID))                                                                   \
    _(ZwUmsThreadYield, (PVOID))                                                                   \
    _(RtlGetCurrentUmsThread, (PUMS_CONTEXT *))                                                    \
    _(RtlQueryUmsThreadInformation, (PUMS_CONTEXT, UMS_THREAD_INFO_CLASS, PVOID, ULONG, PULONG))   \
    _(RtlSetUmsThreadInformation, (PUMS_CONTEXT, UMS_THREAD_INFO_CLASS, PVOID, ULONG))

static struct {
#define MEMBER(name, arguments) LONG(NTAPI *name) arguments;
    CALLS(MEMBER)
#undef MEMBER
} nt;

static bool look_up(void)
{
    HMODULE ntdll = GetModuleHandleA("ntdll.dll");
    bool all = true;

#define LOOK(name, arguments)                                                                      \
    nt.name = (void *)(uintptr_t)GetProcAddress(ntdll, #name);                                     \
    all &= nt.name != NULL;                                                                        \
    EXPECT_THAT(nt.name, "no %s", #name);
    CALLS(LOOK)
#undef LOOK
    return all;
}

TEST(NtdllNames, lists_and_contexts)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT context = NULL;
    HANDLE event = NULL;
    void *value = &list, *read = NULL;
    ULONG length = 0;

    ASSERT_OK(look_up());
    EXPECT_STATUS(nt.RtlCreateUmsCompletionList(NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.RtlCreateUmsCompletionList(&list), 0);
    EXPECT_STATUS(nt.RtlGetUmsCompletionListEvent(list, NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.RtlGetUmsCompletionListEvent(list, &event), 0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));

    EXPECT_STATUS(nt.RtlCreateUmsThreadContext(&context), 0);
    EXPECT_STATUS(nt.RtlSetUmsThreadInformation(context, UmsThreadUserContext, &value, 4),
                  STATUS(INFO_LENGTH));
    EXPECT_STATUS(nt.RtlSetUmsThreadInformation(context, UmsThreadUserContext, &value, 8), 0);
    EXPECT_STATUS(nt.RtlQueryUmsThreadInformation(context, UmsThreadUserContext, &read, 8, &length),
                  0);
    EXPECT_EQ(read, value);
    EXPECT_EQ(length, 8);
    EXPECT_STATUS(nt.RtlQueryUmsThreadInformation(context, UmsThreadPriority, &read, 8, NULL),
                  STATUS(NOT_SUPPORTED));
    /* One context, whichever names it goes by. */
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &read, 8, NULL));

    EXPECT_STATUS(nt.RtlDeleteUmsThreadContext(context), 0);
    EXPECT_STATUS(nt.RtlDeleteUmsThreadContext(NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.RtlDeleteUmsCompletionList(list), 0);
    EXPECT_STATUS(nt.RtlDeleteUmsCompletionList(list), STATUS(INVALID));
}

TEST(NtdllNames, on_a_plain_thread)
{
    PUMS_CONTEXT context = &context;

    ASSERT_OK(look_up());
    EXPECT_STATUS(nt.RtlGetCurrentUmsThread(&context), STATUS(NOT_SUPPORTED));
    EXPECT_EQ(context, NULL);
    EXPECT_STATUS(nt.RtlGetCurrentUmsThread(NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.RtlUmsThreadYield(NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.NtUmsThreadYield(NULL), STATUS(INVALID));
    EXPECT_STATUS(nt.RtlExecuteUmsThread(&context), STATUS(NOT_SUPPORTED));
    EXPECT_STATUS(nt.RtlEnterUmsSchedulingMode(NULL), STATUS(INVALID));
}

static struct bare worker;
static PUMS_COMPLETION_LIST list;
static int yields, wrong_params;

static DWORD WINAPI yield_in_three_ways(LPVOID param)
{
    PUMS_CONTEXT self = NULL;

    EXPECT_STATUS(nt.RtlGetCurrentUmsThread(&self), 0);
    EXPECT_EQ(self, worker.context);
    EXPECT_STATUS(nt.RtlUmsThreadYield(param), 0);
    EXPECT_STATUS(nt.NtUmsThreadYield(param), 0);
    EXPECT_STATUS(nt.ZwUmsThreadYield(param), 0);
    EXPECT_STATUS(nt.RtlExecuteUmsThread(self), STATUS(NOT_SUPPORTED));
    return 17;
}

static VOID NTAPI execute(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT self = NULL;
    BOOLEAN over = FALSE;

    EXPECT_STATUS(nt.RtlGetCurrentUmsThread(&self), 0);
    EXPECT_NE(self, NULL);
    EXPECT_NE(self, worker.context);
    if (reason == UmsSchedulerThreadYield) {
        yields++;
        wrong_params += (PUMS_CONTEXT)payload != worker.context || param != &yields;
    }
    /* What it waits for, or its end. */
    if (reason == UmsSchedulerThreadBlocked && !bare_arrival(list))
        return;
    EXPECT_OK(
        QueryUmsThreadInformation(worker.context, UmsThreadIsTerminated, &over, sizeof over, NULL));
    if (over)
        return;
    EXPECT_STATUS(nt.RtlExecuteUmsThread(NULL), STATUS(INVALID));
    FAIL("the worker was not executed: status %x",
         (unsigned)nt.RtlExecuteUmsThread(worker.context));
}

TEST(NtdllNames, a_worker_and_its_scheduler)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, NULL, execute, NULL};
    DWORD code = 0;

    ASSERT_OK(look_up());
    ASSERT_EQ(nt.RtlCreateUmsCompletionList(&list), 0);
    info.CompletionList = list;
    ASSERT_OK(bare_create_arrived(&worker, list, yield_in_three_ways, &yields));
    EXPECT_STATUS(nt.RtlEnterUmsSchedulingMode(&info), 0);
    EXPECT_EQ(yields, 3);
    EXPECT_EQ(wrong_params, 0);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 17);
    bare_delete(&worker);
    EXPECT_EQ(nt.RtlDeleteUmsCompletionList(list), 0);
}
