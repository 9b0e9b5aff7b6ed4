/* SPDX-License-Identifier: MIT
 *
 * program_bad.c - calls of a random program that fail whatever the state is (program.h).
 */
#include "bare.h"
#include "gtest_c.h"
#include "program.h"

static VOID NTAPI never_called(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    FAIL("the entry point of a failed EnterUmsSchedulingMode was called");
}

static void bad_creation(const UMS_CREATE_THREAD_ATTRIBUTES *ums)
{
    HANDLE thread;

    thread = ums_thread(ums, routine_return, NULL, 0, NULL);
    EXPECT_EQ(thread, NULL);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
}

static void bad_lists(unsigned which, PUMS_COMPLETION_LIST list, PUMS_CONTEXT context)
{
    static char garbage[512];
    PUMS_CONTEXT chain = NULL;
    HANDLE event = NULL;

    switch (which) {
    case 0:
        EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, INFINITE, &chain),
                     ERROR_INVALID_PARAMETER);
        break;
    case 1:
        EXPECT_FAILS(DequeueUmsCompletionListItems(list, INFINITE, NULL), ERROR_INVALID_PARAMETER);
        break;
    case 2:
        EXPECT_FAILS(DequeueUmsCompletionListItems(garbage, INFINITE, &chain),
                     ERROR_INVALID_PARAMETER);
        break;
    case 3:
        EXPECT_FAILS(DequeueUmsCompletionListItems(context, INFINITE, &chain),
                     ERROR_INVALID_PARAMETER);
        break;
    case 4:
        EXPECT_FAILS(GetUmsCompletionListEvent(list, NULL), ERROR_INVALID_PARAMETER);
        break;
    case 5:
        EXPECT_FAILS(GetUmsCompletionListEvent(context, &event), ERROR_INVALID_PARAMETER);
        break;
    case 6:
        EXPECT_FAILS(DeleteUmsCompletionList(context), ERROR_INVALID_PARAMETER);
        break;
    case 7:
        EXPECT_FAILS(CreateUmsCompletionList(NULL), ERROR_INVALID_PARAMETER);
        break;
    default:
        EXPECT_FAILS(GetNextUmsListItem(which % 2 ? list : NULL), ERROR_INVALID_PARAMETER);
    }
}

static void bad_contexts(unsigned which, PUMS_COMPLETION_LIST list, PUMS_CONTEXT context)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = 1};
    char buffer[16];

    switch (which) {
    case 10:
        EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadIsTerminated, buffer, 4, NULL),
                     ERROR_BAD_LENGTH);
        break;
    case 11:
        EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadUserContext, buffer, 0, NULL),
                     ERROR_BAD_LENGTH);
        break;
    case 12:
        EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadPriority, buffer, 4, NULL),
                     ERROR_NOT_SUPPORTED);
        break;
    case 13:
        EXPECT_FAILS(QueryUmsThreadInformation(NULL, UmsThreadTeb, buffer, 8, NULL),
                     ERROR_INVALID_PARAMETER);
        break;
    case 14:
        EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadTeb, buffer, 8),
                     ERROR_NOT_SUPPORTED);
        break;
    case 15:
        EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadUserContext, buffer, 16),
                     ERROR_BAD_LENGTH);
        break;
    case 16:
        EXPECT_FAILS(CreateUmsThreadContext(NULL), ERROR_INVALID_PARAMETER);
        break;
    case 17:
        EXPECT_FAILS(DeleteUmsThreadContext(which % 2 ? list : NULL), ERROR_INVALID_PARAMETER);
        break;
    case 18:
        EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info),
                     ERROR_INVALID_PARAMETER);
        break;
    case 19:
        bad_creation(&ums); /* no context */
        break;
    default:
        ums = (UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, list, list};
        bad_creation(&ums);
    }
}

/* Calls that fail whatever the state is, `pointer` being {a list, a context}. The last four depend
 * on who calls. */
void call_bad(struct order *order)
{
    void **both = order->pointer;
    PUMS_CONTEXT self = GetCurrentUmsThread();
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, both[0], never_called, NULL};
    UMS_SYSTEM_THREAD_INFORMATION kind = {.UmsVersion = UMS_VERSION};

    if (order->number < 10) {
        bad_lists(order->number, both[0], both[1]);
        return;
    }
    if (order->number < BAD_CALLS - 3) {
        bad_contexts(order->number, both[0], both[1]);
        return;
    }
    EXPECT_OK(GetUmsSystemThreadInformation(GetCurrentThread(), &kind));
    EXPECT_EQ(self != NULL, kind.ThreadUmsFlags != 0);
    if (order->number == BAD_CALLS - 3) {
        EXPECT_FAILS(ExecuteUmsThread(both[0]),
                     kind.IsUmsSchedulerThread ? ERROR_INVALID_PARAMETER : ERROR_NOT_SUPPORTED);
    } else if (order->number == BAD_CALLS - 2) {
        if (!self)
            info.UmsVersion++;
        EXPECT_FAILS(EnterUmsSchedulingMode(&info),
                     self ? ERROR_NOT_SUPPORTED : ERROR_INVALID_PARAMETER);
    } else if (!kind.IsUmsWorkerThread) {
        EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
    }
}
