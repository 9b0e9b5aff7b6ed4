/* SPDX-License-Identifier: MIT
 *
 * as_windows.c - each point of the stricter Windows (as_windows/as_windows.h) is what it says: without them the tests
 * that pass there would prove nothing. Runs there only.
 *
 * modes: UMSSHIM_TEST_AS_WINDOWS=all unlinked UMSSHIM_SWITCH=inplace
 */
#include "gtest_c.h"
#include "stopwatch.h"

#include <windows.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <winternl.h>

enum { LIMIT_MS = 20000, STRICT_END = 97, ITS_OWN_END = 5 };

static void describe(char *text, size_t room)
{
    PVOID list = NULL;
    HMODULE dll = LoadLibraryA("umsshim.dll");
    BOOL(WINAPI * create)
    (PVOID *) = (void *)(uintptr_t)GetProcAddress(dll, "CreateUmsCompletionList");
    int (*function)(char *, size_t) = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");

    text[0] = 0;
    ASSERT_OK(create && function && create(&list) && function(text, room));
}

TEST(AsWindows, first_thread_has_its_flags)
{
    uint16_t flags;

    __asm__("movw %%gs:0x17ee, %0" : "=r"(flags));
    EXPECT_EQ(flags & 0x420, 0x420);
}

TEST(AsWindows, stubs_are_somebody_elses)
{
    static char text[16384];

    describe(text, sizeof text);
    EXPECT_OK(
        strstr(text, "hook NtReadFile (file, own thread, home): applied, before somebody else's"));
    EXPECT_THAT(!strstr(text, ": applied\n"), "it said: %s", text);
    EXPECT_THAT(!strstr(text, "refused"), "it said: %s", text);
}

TEST(AsWindows, functions_are_one)
{
    static char text[16384];

    describe(text, sizeof text);
    EXPECT_THAT(strstr(text, "which are 1 functions"), "it said: %s", text);
}

TEST(AsWindows, sleep_lasts_a_tick)
{
    enum { SLEEPS = 10, TICK_MS = 15 };
    ULONGLONG start = stopwatch();

    for (int i = 0; i < SLEEPS; i++)
        Sleep(1);
    EXPECT_GE((int)(stopwatch() - start), (SLEEPS - 2) * TICK_MS);
}

static HANDLE reads;

static DWORD WINAPI read_one(LPVOID param)
{
    char byte;
    DWORD got;

    *(bool *)param = true;
    EXPECT_OK(ReadFile(reads, &byte, 1, &got, NULL));
    return 0;
}

static DWORD WINAPI ask(LPVOID param)
{
    LONG(NTAPI * query)
    (HANDLE, void *, void *, ULONG, int) =
        (void *)(uintptr_t)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtQueryInformationFile");
    ULONG mode;
    ULONG_PTR iosb[2];

    EXPECT_EQ(query(reads, iosb, &mode, sizeof mode, 16), 0);
    return 0;
}

TEST(AsWindows, file_that_is_read_answers_nothing)
{
    volatile bool begun = false;
    HANDLE writes, reader, asker;
    DWORD done;

    ASSERT_OK(CreatePipe(&reads, &writes, NULL, 0));
    reader = CreateThread(NULL, 0, read_one, (void *)&begun, 0, NULL);
    while (!begun)
        Sleep(1);
    Sleep(50); /* it most likely reads by then */
    asker = CreateThread(NULL, 0, ask, NULL, 0, NULL);
    EXPECT_EQ(WaitForSingleObject(asker, 100), WAIT_TIMEOUT);
    EXPECT_OK(WriteFile(writes, "x", 1, &done, NULL));
    EXPECT_EQ(WaitForSingleObject(asker, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(reader, LIMIT_MS), WAIT_OBJECT_0);
}

static DWORD WINAPI spin(LPVOID param)
{
    const volatile bool *stop = param;

    while (!*stop)
        YieldProcessor();
    return 0;
}

/* Newer versions of Wine say it of some threads themselves, so there may be more. */
TEST(AsWindows, every_other_question_finds_a_thread_near_an_exception)
{
    enum { QUESTIONS = 6 };
    const DWORD request = 0x40000000, reports = 0x80000000, in_exception = 0x08000000;
    volatile bool stop = false;
    HANDLE thread = CreateThread(NULL, 0, spin, (void *)&stop, 0, NULL);
    int found = 0;

    EXPECT_EQ(SuspendThread(thread), 0);
    for (int i = 0; i < QUESTIONS; i++) {
        CONTEXT context = {.ContextFlags = CONTEXT_CONTROL | request};

        EXPECT_OK(GetThreadContext(thread, &context));
        EXPECT_OK(context.ContextFlags & reports);
        found += (context.ContextFlags & in_exception) != 0;
    }
    EXPECT_GE(found, QUESTIONS / 2);
    stop = true;
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

/* Started as this program was, by what lies beside it. */
static DWORD exit_code_of(const char *program, const char *argument)
{
    char folder[MAX_PATH], line[4 * MAX_PATH];
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    DWORD code = 0;

    GetModuleFileNameA(NULL, folder, sizeof folder);
    *strrchr(folder, '\\') = 0;
    snprintf(line, sizeof line, "\"%s\\as_windows_launch.exe\" \"%s\\%s\" %s", folder, folder,
             program, argument);
    if (!EXPECT_OK(
            CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process)))
        return 0;
    EXPECT_EQ(WaitForSingleObject(process.hProcess, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    return code;
}

TEST(AsWindows, an_import_that_is_not_there_ends_the_process)
{
    EXPECT_EQ(exit_code_of("as_windows_missing.exe", ""), STRICT_END);
    EXPECT_EQ(exit_code_of("as_windows_child.exe", ""), ITS_OWN_END);
}

TEST(AsWindows, the_process_is_ended_on_its_threads_own_stack)
{
    EXPECT_EQ(exit_code_of("as_windows_child.exe", "elsewhere"), STRICT_END);
}
