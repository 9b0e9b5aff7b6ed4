/* SPDX-License-Identifier: MIT
 *
 * arrival_lists.c - see arrival_lists.h.
 */
#include <windows.h>

#include "arrival_lists.h"
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <string.h>

PUMS_COMPLETION_LIST lists[LISTS];
HANDLE event;

bool strict(void)
{
    return is_set("UMSSHIM_STRICT", "1");
}

void open_lists(void)
{
    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(CreateUmsCompletionList(&lists[i]));
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_NE(event, NULL);
}

void close_lists(void)
{
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(bare_dequeue(lists[i], 0, &first));
            EXPECT_EQ(first, NULL);
            EXPECT_OK(DeleteUmsCompletionList(lists[i]));
            lists[i] = NULL;
        }
    }
    EXPECT_OK(CloseHandle(event));
}

void delete_list(PUMS_COMPLETION_LIST *list)
{
    EXPECT_OK(DeleteUmsCompletionList(*list));
    *list = NULL;
}

void expect_arrival(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last)
{
    PUMS_COMPLETION_LIST where = strict() ? CREATION : last;

    EXPECT_EQ(bare_arrival(where), context);
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(bare_dequeue(lists[i], 0, &first));
            EXPECT_EQ(first, NULL);
        }
    }
}

void expect_no_arrival(void)
{
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(bare_dequeue(lists[i], 30, &first));
            EXPECT_EQ(first, NULL);
        }
    }
}

static __thread struct once *once;

static VOID NTAPI once_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        EXPECT_EQ(bare_execute(once->context), 0); /* comes back only on failure */
    once->reason = reason;
}

DWORD WINAPI run_once(LPVOID param)
{
    once = param;
    EXPECT_OK(ums_enter(once->list, once_proc, NULL));
    return 0;
}

void execute_on(PUMS_COMPLETION_LIST list, PUMS_CONTEXT context, UMS_SCHEDULER_REASON leaves)
{
    struct once run = {list, context, UmsSchedulerStartup};

    run_once(&run);
    EXPECT_EQ(run.reason, leaves);
}

DWORD WINAPI wait_often(LPVOID times)
{
    for (ULONG_PTR i = 0; i < (ULONG_PTR)times; i++)
        EXPECT_EQ(WaitForSingleObject(event, 10000), WAIT_OBJECT_0);
    return 0;
}
