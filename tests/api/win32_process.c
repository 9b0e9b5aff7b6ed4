/* SPDX-License-Identifier: MIT
 *
 * win32_process.c - the process about itself: id, priority, times, environment, command line.
 *
 * Under Wine a process's time is counted in steps too coarse for a busy machine.
 *
 * modes: win32
 * except: no_io_is_pending, process_times
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static HANDLE const garbage = (HANDLE)0x7777770;

TEST_IN_EACH_KIND(Win32Process, identity)
{
    EXPECT_EQ(GetProcessId(GetCurrentProcess()), GetCurrentProcessId());
    EXPECT_FAILS(GetProcessId(garbage), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(TerminateProcess(garbage, 1), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Process, priority_class)
{
    EXPECT_EQ(GetPriorityClass(GetCurrentProcess()), NORMAL_PRIORITY_CLASS);
    EXPECT_OK(SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS));
    EXPECT_EQ(GetPriorityClass(GetCurrentProcess()), BELOW_NORMAL_PRIORITY_CLASS);
    EXPECT_OK(SetPriorityClass(GetCurrentProcess(), NORMAL_PRIORITY_CLASS));
    EXPECT_FAILS(SetPriorityClass(GetCurrentProcess(), 12345), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetPriorityClass(garbage, NORMAL_PRIORITY_CLASS), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetPriorityClass(garbage), ERROR_INVALID_HANDLE);
}

static ULONGLONG ticks(FILETIME time)
{
    return (ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

typedef BOOL(WINAPI *times_call)(HANDLE, FILETIME *, FILETIME *, FILETIME *, FILETIME *);

/* What the caller has used of the processor while it went round here, until 60 ms or, on a busy machine,
 * something have shown up. */
static ULONGLONG use_the_processor(times_call times_of, HANDLE whose, ULONGLONG *created)
{
    ULONGLONG start = GetTickCount64(), before = 0, spent = 0;
    FILETIME creation;
    FILETIME ended;
    FILETIME kernel;
    FILETIME user;

    for (bool first = true; first || GetTickCount64() < start + (spent ? 60 : 10000);
         first = false) {
        EXPECT_OK(times_of(whose, &creation, &ended, &kernel, &user));
        if (first)
            before = ticks(user) + ticks(kernel);
        spent = ticks(user) + ticks(kernel) - before;
        for (int i = 0; i < 1000; i++)
            YieldProcessor();
    }
    *created = ticks(creation);
    return spent;
}

TEST_IN_EACH_KIND(Win32Process, process_times)
{
    FILETIME times[4];
    FILETIME now;
    ULONGLONG created;

    EXPECT_GT(use_the_processor(GetProcessTimes, GetCurrentProcess(), &created), 0);
    GetSystemTimeAsFileTime(&now);
    EXPECT_LT(created, ticks(now));
    EXPECT_LT(ticks(now) - created, 600 * 10000000ULL);
    EXPECT_FAILS(GetProcessTimes(garbage, &times[0], &times[1], &times[2], &times[3]),
                 ERROR_INVALID_HANDLE);
}

TEST(Win32Process, times_of_a_plain_thread)
{
    FILETIME times[4];
    FILETIME now;
    ULONGLONG created;
    ULONGLONG start = GetTickCount64();
    ULONGLONG spent = use_the_processor(GetThreadTimes, GetCurrentThread(), &created);

    EXPECT_GT(spent, 0);
    EXPECT_LE(spent, (GetTickCount64() - start + 60) * 10000); /* no more time than has passed */
    GetSystemTimeAsFileTime(&now);
    EXPECT_LT(created, ticks(now));
    EXPECT_FAILS(GetThreadTimes(garbage, &times[0], &times[1], &times[2], &times[3]),
                 ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Process, no_io_is_pending)
{
    BOOL pending = 2;

    EXPECT_OK(GetThreadIOPendingFlag(GetCurrentThread(), &pending));
    EXPECT_EQ(pending, FALSE);
    EXPECT_FAILS(GetThreadIOPendingFlag(garbage, &pending), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Process, environment)
{
    char buffer[16];

    EXPECT_OK(SetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", "twelve chars"));
    EXPECT_EQ(GetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", buffer, sizeof buffer), 12);
    EXPECT_STREQ(buffer, "twelve chars");
    EXPECT_EQ(GetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", buffer, 12), 13);
    EXPECT_EQ(GetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", NULL, 0), 13);
    EXPECT_OK(SetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", NULL));
    EXPECT_FAILS(GetEnvironmentVariableA("UMSSHIM_TEST_VARIABLE", buffer, sizeof buffer),
                 ERROR_ENVVAR_NOT_FOUND);
    EXPECT_FAILS(SetEnvironmentVariableA("", "x"), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetEnvironmentVariableA("A=B", "x"), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Process, command_line)
{
    const char *line = GetCommandLineA();

    ASSERT_OK(line != NULL);
    EXPECT_THAT(strstr(line, "win32_process"), "it is \"%s\"", line);
    EXPECT_EQ(GetCommandLineA(), line);
}

TEST_IN_EACH_KIND(Win32Process, words_for_a_debugger)
{
    OutputDebugStringA("nobody reads this\n");
    OutputDebugStringW((const WCHAR[]){'n', 'o', 'r', ' ', 't', 'h', 'i', 's', '\n', 0});
    EXPECT_EQ(IsDebuggerPresent(), FALSE);
}

static BOOL WINAPI on_control(DWORD type)
{
    return TRUE;
}

TEST_IN_EACH_KIND(Win32Process, control_handlers_come_and_go)
{
    EXPECT_OK(SetConsoleCtrlHandler(on_control, TRUE));
    EXPECT_OK(SetConsoleCtrlHandler(on_control, FALSE));
    EXPECT_FAILS(SetConsoleCtrlHandler(on_control, FALSE), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetConsoleCtrlHandler(NULL, TRUE));
    EXPECT_OK(SetConsoleCtrlHandler(NULL, FALSE));
}
