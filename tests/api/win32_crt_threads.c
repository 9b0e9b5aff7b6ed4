/* SPDX-License-Identifier: MIT
 *
 * win32_crt_threads.c - threads made the C run-time library's way.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <stdint.h>

#ifdef _WIN32
#include <process.h>
#else
uintptr_t _beginthread(void (*start)(void *), unsigned stack_bytes, void *arg);
uintptr_t _beginthreadex(void *security, unsigned stack_bytes, unsigned (*start)(void *), void *arg,
                         unsigned flags, unsigned *id);
_Noreturn void _endthread(void);
_Noreturn void _endthreadex(unsigned code);
#endif

static unsigned WINAPI tell_id(void *id)
{
    *(DWORD *)id = GetCurrentThreadId();
    return 77;
}

static unsigned WINAPI end_early(void *unused)
{
    _endthreadex(78);
}

static DWORD code_of(HANDLE thread)
{
    DWORD code = 0;

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_OK(CloseHandle(thread));
    return code;
}

TEST_IN_EACH_KIND(Win32CrtThreads, beginthreadex)
{
    unsigned id = 0;
    DWORD seen = 0;
    HANDLE thread = (HANDLE)_beginthreadex(NULL, 0, tell_id, &seen, 0, &id);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(code_of(thread), 77);
    EXPECT_EQ(seen, id);
    thread = (HANDLE)_beginthreadex(NULL, 0, end_early, NULL, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(code_of(thread), 78);
}

TEST_IN_EACH_KIND(Win32CrtThreads, beginthreadex_suspended)
{
    DWORD seen = 0;
    HANDLE thread = (HANDLE)_beginthreadex(NULL, 0, tell_id, &seen, CREATE_SUSPENDED, NULL);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 20), WAIT_TIMEOUT);
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_EQ(code_of(thread), 77);
    EXPECT_NE(seen, 0);
}

static HANDLE started;
static int runs;

static void return_at_once(void *arg)
{
    flag_add(&runs, (int)(intptr_t)arg);
    EXPECT_OK(SetEvent(started));
}

static void end_by_call(void *arg)
{
    return_at_once(arg);
    _endthread();
}

/* _beginthread's thread closes its own handle as it ends, so the handle becomes invalid soon after.
 * */
static void begin_and_watch(void (*routine)(void *))
{
    ULONGLONG deadline = GetTickCount64() + 5000;
    uintptr_t thread = _beginthread(routine, 0, (void *)1);
    DWORD code;

    ASSERT_NE(thread, -1);
    ASSERT_NE(thread, 0);
    EXPECT_EQ(WaitForSingleObject(started, 5000), WAIT_OBJECT_0);
    while (GetExitCodeThread((HANDLE)thread, &code)) {
        ASSERT_LT(GetTickCount64(), deadline);
        Sleep(1);
    }
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32CrtThreads, beginthread)
{
    flag_set(&runs, 0);
    started = CreateEventA(NULL, FALSE, FALSE, NULL);
    begin_and_watch(return_at_once);
    begin_and_watch(end_by_call);
    EXPECT_EQ(flag_get(&runs), 2);
    EXPECT_OK(CloseHandle(started));
}

#ifndef _WIN32 /* on Windows the C library ends a program that gives no routine */
TEST(Win32CrtThreads, no_routine)
{
    errno = 0;
    EXPECT_EQ(_beginthread(NULL, 0, NULL), (uintptr_t)-1);
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(_beginthreadex(NULL, 0, NULL, NULL, 0, NULL), 0);
    EXPECT_EQ(errno, EINVAL);
}
#endif
