/* SPDX-License-Identifier: MIT
 *
 * ended_twice.c - a thread that ends itself is ended by another thread as well, at that moment.
 *
 * The hazard is none of the engine's. It is Wine 8's, which then loses a lock of its own within some ten
 * threads, or dies; a process that exits while a thread of it ends runs into the same. wine.sh keeps that
 * away from all tests (scripts/wine_ends.c); here it shows whether it does.
 *
 * Both call ntdll: ExitThread holds the loader's lock for a while, which would be lost on any system.
 *
 * modes: default
 */
#include <windows.h>
#include <winternl.h>

#include "gtest_c.h"

enum { ROUNDS = 300, LIMIT_MS = 10000, PAUSES = 11 };

static NTSTATUS(NTAPI *end_thread)(HANDLE, NTSTATUS);
static int begun;

static DWORD WINAPI end_yourself(LPVOID param)
{
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    end_thread(GetCurrentThread(), 0);
    return 0;
}

/* From some ten nanoseconds to some ten microseconds. */
static void pause_in_round(int round)
{
    for (int left = 1 << round % PAUSES; left; left--)
        __builtin_ia32_pause();
}

TEST(EndedTwice, by_itself_and_by_another_thread)
{
    end_thread = (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtTerminateThread");
    ASSERT_THAT(end_thread, "NtTerminateThread");
    for (int round = 0; round < ROUNDS; round++) {
        HANDLE thread;

        __atomic_store_n(&begun, 0, __ATOMIC_RELAXED);
        thread = CreateThread(NULL, 0, end_yourself, NULL, 0, NULL);
        ASSERT_OK(thread != NULL);
        while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
            __builtin_ia32_pause();
        pause_in_round(round);
        end_thread(thread, 0); /* fails where the thread has ended */
        EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
}
