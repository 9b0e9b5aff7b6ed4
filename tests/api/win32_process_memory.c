/* SPDX-License-Identifier: MIT
 *
 * win32_process_memory.c - memory of this process by the calls that name one, heaps that a thread
 * has for itself, threads by their ids.
 *
 * modes: win32
 * except: boosts, heap_information, of_this_process, working_set
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static HANDLE const garbage = (HANDLE)0x7777770;

TEST_IN_EACH_KIND(Win32ProcessMemory, of_this_process)
{
    HANDLE self = GetCurrentProcess();
    MEMORY_BASIC_INFORMATION info;
    SIZE_T done = 0;
    DWORD before;
    char word[16] = "";
    char *pages = VirtualAllocEx(self, NULL, 2 * 4096, MEM_RESERVE, PAGE_READWRITE);

    ASSERT_OK(pages != NULL);
    ASSERT_OK(VirtualAllocEx(self, pages, 4096, MEM_COMMIT, PAGE_READWRITE) != NULL);
    EXPECT_OK(WriteProcessMemory(self, pages + 4090, "hello", 6, &done));
    EXPECT_EQ(done, 6);
    EXPECT_OK(ReadProcessMemory(self, pages + 4090, word, 6, &done));
    EXPECT_STREQ(word, "hello");
    EXPECT_FAILS(ReadProcessMemory(self, pages + 4096, word, 1, &done), ERROR_PARTIAL_COPY);
    EXPECT_EQ(done, 0);
    EXPECT_OK(VirtualProtectEx(self, pages, 4096, PAGE_READONLY, &before));
    EXPECT_EQ(before, PAGE_READWRITE);
    EXPECT_EQ(VirtualQueryEx(self, pages, &info, sizeof info), sizeof info);
    EXPECT_EQ(info.Protect, PAGE_READONLY);
    EXPECT_OK(VirtualFreeEx(self, pages, 0, MEM_RELEASE));
    EXPECT_FAILS(ReadProcessMemory(garbage, word, word, 1, &done), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(WriteProcessMemory(garbage, word, word, 1, &done), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(VirtualAllocEx(garbage, NULL, 4096, MEM_RESERVE, PAGE_READWRITE),
                 ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32ProcessMemory, working_set)
{
    SIZE_T least = 0;
    SIZE_T most = 0;
    SIZE_T again = 0;

    EXPECT_OK(GetProcessWorkingSetSize(GetCurrentProcess(), &least, &most));
    EXPECT_GT(most, least);
    EXPECT_OK(SetProcessWorkingSetSize(GetCurrentProcess(), least, most + 4096));
    EXPECT_OK(SetProcessWorkingSetSize(GetCurrentProcess(), (SIZE_T)-1, (SIZE_T)-1));
    EXPECT_OK(GetProcessWorkingSetSize(GetCurrentProcess(), &again, &most));
    EXPECT_EQ(again, least);
    EXPECT_FAILS(GetProcessWorkingSetSize(garbage, &again, &most), ERROR_INVALID_HANDLE);
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32ProcessMemory, heap_information)
{
    HANDLE heap = HeapCreate(0, 0, 0);
    ULONG kind = 2;

    EXPECT_OK(HeapSetInformation(heap, HeapCompatibilityInformation, &kind, sizeof kind));
    EXPECT_OK(HeapQueryInformation(heap, HeapCompatibilityInformation, &kind, sizeof kind, NULL));
    EXPECT_EQ(kind, 2);
    EXPECT_OK(HeapSetInformation(NULL, (HEAP_INFORMATION_CLASS)1, NULL, 0));
    EXPECT_OK(HeapDestroy(heap));
}

TEST_IN_EACH_KIND(Win32ProcessMemory, heap_walk)
{
    HANDLE heap = HeapCreate(0, 0, 0);
    void *blocks[3];
    int seen[3] = {0};
    PROCESS_HEAP_ENTRY entry = {0};

    for (int i = 0; i < 3; i++)
        blocks[i] = HeapAlloc(heap, 0, (SIZE_T)(100 + i));
    EXPECT_OK(HeapLock(heap));
    for (int limit = 0; limit < 100 && HeapWalk(heap, &entry); limit++)
        for (int i = 0; i < 3; i++)
            if (entry.lpData == blocks[i] && entry.wFlags & PROCESS_HEAP_ENTRY_BUSY) {
                EXPECT_EQ(entry.cbData, 100 + i);
                seen[i]++;
            }
    EXPECT_EQ(GetLastError(), ERROR_NO_MORE_ITEMS);
    EXPECT_OK(HeapUnlock(heap));
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(seen[i], 1);
    EXPECT_OK(HeapDestroy(heap));
}

struct turn {
    HANDLE heap;
    HANDLE begun;
    LONG allocated;
};

static DWORD WINAPI allocate(LPVOID arg)
{
    struct turn *turn = arg;
    void *block;

    SetEvent(turn->begun);
    block = HeapAlloc(turn->heap, 0, 10);
    InterlockedExchange(&turn->allocated, 1);
    return block != NULL && HeapFree(turn->heap, 0, block);
}

/* Another thread's allocation waits until the lock is gone. */
TEST_IN_EACH_KIND(Win32ProcessMemory, heap_lock)
{
    struct turn turn = {.heap = HeapCreate(0, 0, 0),
                        .begun = CreateEventA(NULL, TRUE, FALSE, NULL)};
    DWORD code = 7;
    HANDLE thread;

    EXPECT_OK(HeapLock(turn.heap));
    EXPECT_OK(HeapLock(turn.heap));
    thread = CreateThread(NULL, 0, allocate, &turn, 0, NULL);
    EXPECT_EQ(WaitForSingleObject(turn.begun, 10000), WAIT_OBJECT_0);
    EXPECT_OK(HeapUnlock(turn.heap));
    EXPECT_EQ(WaitForSingleObject(thread, 20), WAIT_TIMEOUT);
    EXPECT_EQ(turn.allocated, 0);
    EXPECT_OK(HeapUnlock(turn.heap));
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, TRUE);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(turn.begun));
    EXPECT_OK(HeapDestroy(turn.heap));
}

/* ---- Threads --------------------------------------------------------------------------------- */

static DWORD WINAPI wait_for(LPVOID event)
{
    return WaitForSingleObject(event, 10000);
}

TEST_IN_EACH_KIND(Win32ProcessMemory, threads_by_id)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    DWORD id = 0;
    HANDLE thread = CreateThread(NULL, 0, wait_for, event, 0, &id);
    HANDLE opened = OpenThread(THREAD_ALL_ACCESS, FALSE, id);
    HANDLE self = OpenThread(THREAD_ALL_ACCESS, FALSE, GetCurrentThreadId());

    ASSERT_OK(opened != NULL);
    ASSERT_OK(self != NULL);
    EXPECT_EQ(GetThreadId(opened), id);
    EXPECT_EQ(GetThreadId(self), GetCurrentThreadId());
    EXPECT_EQ(GetProcessIdOfThread(opened), GetCurrentProcessId());
    EXPECT_EQ(WaitForSingleObject(opened, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(opened, 10000), WAIT_OBJECT_0);
    EXPECT_FAILS(OpenThread(THREAD_ALL_ACCESS, FALSE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(OpenThread(THREAD_ALL_ACCESS, FALSE, 0x7FFFFFF0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetProcessIdOfThread(event), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(opened));
    EXPECT_OK(CloseHandle(self));
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32ProcessMemory, boosts)
{
    BOOL disabled = 7;

    EXPECT_OK(SetThreadPriorityBoost(GetCurrentThread(), TRUE));
    EXPECT_OK(GetThreadPriorityBoost(GetCurrentThread(), &disabled));
    EXPECT_EQ(disabled, TRUE);
    EXPECT_OK(SetThreadPriorityBoost(GetCurrentThread(), FALSE));
    EXPECT_OK(GetThreadPriorityBoost(GetCurrentThread(), &disabled));
    EXPECT_EQ(disabled, FALSE);
    EXPECT_FAILS(SetThreadPriorityBoost(garbage, TRUE), ERROR_INVALID_HANDLE);
    EXPECT_OK(SetProcessPriorityBoost(GetCurrentProcess(), FALSE));
    EXPECT_OK(GetProcessPriorityBoost(GetCurrentProcess(), &disabled));
    EXPECT_EQ(disabled, FALSE);
}
