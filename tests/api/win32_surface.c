/* SPDX-License-Identifier: MIT
 *
 * win32_surface.c - the Win32 calls beside UMS, on plain threads and in workers.
 *
 * modes: ums
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

#include <string.h>

TEST(Win32Surface, last_error_is_per_thread_value)
{
    SetLastError(7);
    EXPECT_EQ(GetLastError(), 7);
    SetLastError(0);
    EXPECT_EQ(GetLastError(), 0);
}

TEST(Win32Surface, events)
{
    HANDLE automatic = CreateEventA(NULL, FALSE, TRUE, NULL);
    HANDLE manual = CreateEventW(NULL, TRUE, FALSE, NULL);

    ASSERT_OK(automatic != NULL);
    ASSERT_OK(manual != NULL);
    EXPECT_EQ(WaitForSingleObject(automatic, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(automatic, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(automatic));
    EXPECT_OK(ResetEvent(automatic));
    EXPECT_EQ(WaitForSingleObject(automatic, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(manual));
    EXPECT_EQ(WaitForSingleObject(manual, INFINITE), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObjectEx(manual, INFINITE, FALSE), WAIT_OBJECT_0);
    EXPECT_OK(ResetEvent(manual));
    EXPECT_EQ(WaitForSingleObject(manual, 1), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(automatic));
    EXPECT_OK(CloseHandle(manual));
}

/* None of the bad handles is a closed one: any thread of the process, even a test's watchdog, may
 * get its value. */
TEST(Win32Surface, bad_handles)
{
    HANDLE garbage = (HANDLE)0x7777770;
    HANDLE two[2] = {CreateEventA(NULL, FALSE, FALSE, NULL), garbage};

    EXPECT_FAILS(CloseHandle(garbage), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CloseHandle(NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetEvent(garbage), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ResetEvent(NULL), ERROR_INVALID_HANDLE);
    SetLastError(SENTINEL);
    EXPECT_EQ(WaitForSingleObject(garbage, 0), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    SetLastError(SENTINEL);
    EXPECT_EQ(WaitForMultipleObjects(2, two, FALSE, 0), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(two[0]));
}

/* A program does this by mistake; it must not crash. */
TEST(Win32Surface, priority_of_a_garbage_handle)
{
    EXPECT_FAILS(SetThreadPriority((HANDLE)0x7777770, THREAD_PRIORITY_NORMAL),
                 ERROR_INVALID_HANDLE);
    EXPECT_OK(SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_NORMAL));
    EXPECT_EQ(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_NORMAL);
}

static DWORD WINAPI id_and_code(LPVOID param)
{
    *(DWORD *)param = GetCurrentThreadId();
    return 0xabcdef;
}

TEST(Win32Surface, create_thread)
{
    DWORD id = 0;
    DWORD seen = 0;
    DWORD code = 0;
    HANDLE thread = CreateThread(NULL, 0, id_and_code, &seen, 0, &id);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(seen, id);
    EXPECT_EQ(GetThreadId(thread), id);
    EXPECT_NE(id, GetCurrentThreadId());
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 0xabcdef);
    EXPECT_OK(CloseHandle(thread));
}

TEST(Win32Surface, create_thread_suspended)
{
    DWORD seen = 0;
    HANDLE thread = CreateThread(NULL, 0, id_and_code, &seen, CREATE_SUSPENDED, NULL);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 50), WAIT_TIMEOUT);
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

static DWORD WINAPI exit_early(LPVOID param)
{
    ExitThread(55);
}

TEST(Win32Surface, exit_thread)
{
    DWORD code = 0;
    HANDLE thread = CreateThread(NULL, 0, exit_early, NULL, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 55);
    EXPECT_OK(CloseHandle(thread));
}

static DWORD WINAPI return_259(LPVOID param)
{
    return STILL_ACTIVE;
}

TEST(Win32Surface, an_exit_code_that_looks_like_none)
{
    DWORD code = 0;
    HANDLE thread = CreateThread(NULL, 0, return_259, NULL, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_OK(CloseHandle(thread));
}

TEST(Win32Surface, thread_local_slots)
{
    DWORD slots[64];

    for (int i = 0; i < 64; i++) {
        slots[i] = TlsAlloc();
        ASSERT_NE(slots[i], TLS_OUT_OF_INDEXES);
        EXPECT_EQ(TlsGetValue(slots[i]), NULL);
        EXPECT_OK(TlsSetValue(slots[i], (void *)(ULONG_PTR)(i + 1)));
    }
    for (int i = 0; i < 64; i++) {
        EXPECT_EQ(TlsGetValue(slots[i]), i + 1);
        EXPECT_OK(TlsFree(slots[i]));
    }
}

TEST(Win32Surface, heap)
{
    HANDLE heap = GetProcessHeap();
    char *block = HeapAlloc(heap, HEAP_ZERO_MEMORY, 1000);

    ASSERT_OK(block != NULL);
    for (int i = 0; i < 1000; i++)
        ASSERT_EQ(block[i], 0);
    memset(block, 1, 1000);
    EXPECT_OK(HeapFree(heap, 0, block));
}

TEST(Win32Surface, time)
{
    LARGE_INTEGER frequency = {{0, 0}};
    LARGE_INTEGER start;
    LARGE_INTEGER end;
    ULONGLONG ticks = GetTickCount64();
    ULONGLONG limit = stopwatch() + 5000;

    EXPECT_OK(QueryPerformanceFrequency(&frequency));
    EXPECT_GT(frequency.QuadPart, 0);
    EXPECT_OK(QueryPerformanceCounter(&start));
    Sleep(30);
    EXPECT_OK(QueryPerformanceCounter(&end));
    EXPECT_GE(end.QuadPart - start.QuadPart, frequency.QuadPart * 29 / 1000);
    /* It goes on in ticks, which a busy system may have late. */
    while (GetTickCount64() - ticks < 14 && stopwatch() < limit)
        Sleep(1);
    EXPECT_GE(GetTickCount64() - ticks, 14);
    EXPECT_LT(GetTickCount() - (DWORD)ticks, 60000);
}

TEST(Win32Surface, identity)
{
    EXPECT_NE(GetCurrentProcessId(), 0);
    EXPECT_EQ(GetThreadId(GetCurrentThread()), GetCurrentThreadId());
    EXPECT_NE(GetCurrentProcess(), NULL);
    EXPECT_LT(GetCurrentProcessorNumber(), 4096);
}

TEST(Win32Surface, affinity)
{
    DWORD_PTR before = SetThreadAffinityMask(GetCurrentThread(), 1);

    EXPECT_NE(before, 0);
    SwitchToThread();
    EXPECT_EQ(GetCurrentProcessorNumber(), 0);
    EXPECT_EQ(SetThreadAffinityMask(GetCurrentThread(), before), 1);
    EXPECT_FAILS(SetThreadAffinityMask(GetCurrentThread(), 0), ERROR_INVALID_PARAMETER);
}

/* The same calls from a worker: small stack, its own identity. */
static void surface_in_worker(struct worker *self)
{
    Win32Surface_events();
    Win32Surface_heap();
    Win32Surface_thread_local_slots();
    Win32Surface_create_thread();
    Win32Surface_create_thread_suspended();
    Win32Surface_time();
    EXPECT_OK(SetThreadPriority(self->thread, THREAD_PRIORITY_ABOVE_NORMAL)); /* BL-10: advisory */
    EXPECT_OK(SetThreadPriority(self->thread, THREAD_PRIORITY_NORMAL));
    EXPECT_EQ(GetThreadId(GetCurrentThread()), self->id);
}

TEST(Win32Surface, all_of_it_in_workers)
{
    FLEET_RUN(2, FLEET_SHARED_READY, {6, surface_in_worker, NULL});
}
