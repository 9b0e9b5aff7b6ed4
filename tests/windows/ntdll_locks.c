/* SPDX-License-Identifier: MIT
 *
 * ntdll_locks.c - a worker that comes to the heap while another thread has it locked.
 *
 * In place, a worker that left its scheduler in there could come back on another thread, while the
 * heap's code, or its caller's in ntdll, goes on with the address of the thread's block that it had
 * before. So it must wait without leaving.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 */
#include "bare.h"
#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 5000, HELD_MS = 100 };

static struct bare worker;
static HANDLE locked;
static volatile LONG blocks, allocated;

static DWORD WINAPI hold_the_heap(LPVOID param)
{
    EXPECT_OK(HeapLock(GetProcessHeap()));
    EXPECT_OK(SetEvent(locked));
    Sleep(HELD_MS);
    EXPECT_EQ(allocated, 0);
    EXPECT_OK(HeapUnlock(GetProcessHeap()));
    return 0;
}

static DWORD WINAPI allocate(LPVOID param)
{
    LONG before;
    void *room;

    EXPECT_EQ(WaitForSingleObject(locked, LIMIT_MS), WAIT_OBJECT_0);
    UmsThreadYield(NULL); /* the block before this does not count */
    before = blocks;
    room = HeapAlloc(GetProcessHeap(), 0, 100);
    allocated = 1;
    if (strcmp(getenv("UMSSHIM_SWITCH"), "inplace") == 0)
        EXPECT_EQ(blocks - before, 0);
    EXPECT_OK(HeapFree(GetProcessHeap(), 0, room));
    return 0;
}

static PUMS_COMPLETION_LIST list;
static int ended;

static VOID NTAPI count_blocks(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT next = reason == UmsSchedulerThreadYield ? (PUMS_CONTEXT)payload : NULL;

    if (reason == UmsSchedulerStartup)
        next = param;
    blocks += reason == UmsSchedulerThreadBlocked;
    while (!ended) {
        if (!next && (!DequeueUmsCompletionListItems(list, LIMIT_MS, &next) || !next)) {
            FAIL("nobody came, after %d blocks", (int)blocks);
            return;
        }
        if (is_terminated(next)) {
            ended = 1;
            return;
        }
        ExecuteUmsThread(next);
    }
}

TEST(ShortLocks, heap_is_waited_for_without_leaving)
{
    HANDLE holder;

    locked = CreateEventA(NULL, TRUE, FALSE, NULL);
    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create_arrived(&worker, list, allocate, NULL))
        return;
    holder = CreateThread(NULL, 0, hold_the_heap, NULL, 0, NULL);
    EXPECT_OK(ums_enter(list, count_blocks, worker.context));
    EXPECT_EQ(WaitForSingleObject(holder, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(holder));
    EXPECT_OK(CloseHandle(locked));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
