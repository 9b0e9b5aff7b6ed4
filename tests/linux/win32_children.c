/* SPDX-License-Identifier: MIT
 *
 * win32_children.c - CreateProcess: the child's arguments, environment, folder and standard
 * handles, and its end. The children are the shell and programs that every Linux has.
 *
 * modes: default
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

static BOOL start(const char *line, DWORD flags, STARTUPINFOA *startup, PROCESS_INFORMATION *child)
{
    char copy[512];

    return CreateProcessA(NULL, strcpy(copy, line), NULL, NULL, TRUE, flags, NULL, NULL, startup,
                          child);
}

/* Waits for the child's end, closes both handles and returns the exit code. */
static DWORD end_of(PROCESS_INFORMATION *child)
{
    DWORD code = 77;

    EXPECT_EQ(WaitForSingleObject(child->hProcess, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(child->hThread, 0), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(child->hProcess, &code));
    EXPECT_OK(CloseHandle(child->hThread));
    EXPECT_OK(CloseHandle(child->hProcess));
    return code;
}

/* What a command line writes to its standard output, by a pipe as in Microsoft's example. */
static const char *output_of(const char *application, const char *line, void *environment,
                             const char *folder)
{
    static char text[1024];
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION child;
    HANDLE out = NULL;
    char copy[512];
    DWORD flags = 7;
    DWORD count = 0;
    DWORD length = 0;

    text[0] = 0;
    EXPECT_OK(CreatePipe(&out, &startup.hStdOutput, &inherited, 0));
    EXPECT_OK(SetHandleInformation(out, HANDLE_FLAG_INHERIT, 0));
    EXPECT_OK(GetHandleInformation(out, &flags));
    EXPECT_EQ(flags, 0);
    EXPECT_OK(GetHandleInformation(startup.hStdOutput, &flags));
    EXPECT_EQ(flags, HANDLE_FLAG_INHERIT);
    EXPECT_OK(CreateProcessA(application, line ? strcpy(copy, line) : NULL, NULL, NULL, TRUE, 0,
                             environment, folder, &startup, &child));
    EXPECT_OK(CloseHandle(startup.hStdOutput));
    while (ReadFile(out, text + length, (DWORD)sizeof text - 1 - length, &count, NULL) && count)
        length += count;
    text[length] = 0;
    EXPECT_OK(CloseHandle(out));
    EXPECT_EQ(end_of(&child), 0);
    return text;
}

TEST_IN_EACH_KIND(Win32Children, exit_codes)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION child;
    DWORD code = 0;
    HANDLE twin;

    ASSERT_OK(start("sh -c \"exit 7\"", 0, &startup, &child));
    EXPECT_EQ(GetProcessId(child.hProcess), child.dwProcessId);
    EXPECT_EQ(end_of(&child), 7);

    ASSERT_OK(start("sleep 1000", 0, &startup, &child));
    EXPECT_OK(GetExitCodeProcess(child.hProcess, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_EQ(WaitForSingleObject(child.hProcess, 0), WAIT_TIMEOUT);
    twin = OpenProcess(PROCESS_ALL_ACCESS, FALSE, child.dwProcessId);
    ASSERT_NE(twin, NULL);
    EXPECT_OK(TerminateProcess(twin, 0x12345));
    EXPECT_EQ(WaitForSingleObject(twin, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_FAILS(TerminateProcess(twin, 1), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(twin));
    EXPECT_EQ(end_of(&child), 0x12345);

    ASSERT_OK(start("sh -c \"kill -SEGV $$\"", 0, &startup, &child));
    EXPECT_EQ(end_of(&child), (DWORD)STATUS_ACCESS_VIOLATION);
}

static void run_one(void *unused)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION child;

    ASSERT_OK(start("sh -c \"exit 4\"", 0, &startup, &child));
    EXPECT_EQ(end_of(&child), 4);
}

/* The library makes its watch over children with the first child. Here a worker makes the first
 * one. */
TEST(Win32Children, the_first_is_a_workers)
{
    struct kind_thread thread;

    if (kind_start(&thread, KIND_WORKER, run_one, NULL))
        EXPECT_OK(kind_join(&thread));
}

TEST_IN_EACH_KIND(Win32Children, arguments)
{
    EXPECT_STREQ(output_of(NULL, "printf [%s] a \"b c\" \"\" \"d\\\"e\" f\\g \"h\\\\\" \"i\"\"j\"",
                           NULL, NULL),
                 "[a][b c][][d\"e][f\\g][h\\][i\"j]");
    EXPECT_STREQ(output_of(NULL, "\"printf\" x", NULL, NULL), "x");
    EXPECT_STREQ(output_of(NULL, "printf.exe x", NULL, NULL), "x");
    EXPECT_STREQ(output_of("/bin/echo", "other one", NULL, NULL), "one\n");
}

TEST_IN_EACH_KIND(Win32Children, environment_and_folder)
{
    static char block[] = "ONE=1\0TWO=a b\0";
    static WCHAR wide[] = {'O', 'N', 'E', '=', 0xe4, 0, 'T', '=', '2', 0, 0};
    static WCHAR line[] = {'/', 'b', 'i', 'n', '/', 's', 'h', ' ', '-', 'c', ' ', '"', 't',
                           'e', 's', 't', ' ', '$', 'T', ' ', '=', ' ', '2', '"', 0};
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION child;

    EXPECT_STREQ(output_of(NULL, "sh -c \"echo $ONE,$TWO,$HOME\"", block, NULL), "1,a b,\n");
    EXPECT_STREQ(output_of(NULL, "pwd", NULL, "/"), "/\n");
    ASSERT_OK(CreateProcessW(NULL, line, NULL, NULL, FALSE, CREATE_UNICODE_ENVIRONMENT, wide, NULL,
                             &startup, &child));
    EXPECT_EQ(end_of(&child), 0);
}

TEST_IN_EACH_KIND(Win32Children, one_that_begins_suspended)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION child;

    ASSERT_OK(start("sh -c \"exit $1\" x 5", CREATE_SUSPENDED, &startup, &child));
    EXPECT_EQ(WaitForSingleObject(child.hProcess, 30), WAIT_TIMEOUT);
    EXPECT_EQ(SuspendThread(child.hThread), 1);
    EXPECT_EQ(ResumeThread(child.hThread), 2);
    EXPECT_EQ(WaitForSingleObject(child.hProcess, 0), WAIT_TIMEOUT);
    EXPECT_EQ(ResumeThread(child.hThread), 1);
    EXPECT_EQ(end_of(&child), 5);

    ASSERT_OK(start("sleep 1000", CREATE_SUSPENDED, &startup, &child));
    EXPECT_OK(TerminateProcess(child.hProcess, 9));
    EXPECT_EQ(end_of(&child), 9);
}

static PROCESS_INFORMATION waited_for;

static void wait_for_child(void *unused)
{
    EXPECT_EQ(WaitForSingleObject(waited_for.hProcess, LIMIT_MS), WAIT_OBJECT_0);
}

static void end_child(void *unused)
{
    EXPECT_OK(TerminateProcess(waited_for.hProcess, 3));
}

TEST(Win32Children, a_wait_leaves_the_scheduler)
{
    STARTUPINFOA startup = {.cb = sizeof startup};

    for (enum kind kind = 0; kind < KINDS; kind++) {
        ASSERT_OK(start("sleep 1000", 0, &startup, &waited_for));
        on_kind(kind, wait_for_child, end_child, NULL);
        EXPECT_EQ(end_of(&waited_for), 3);
    }
}

/* Some that end as they like, waited for in the order in which they were made. */
TEST(Win32Children, many_at_once)
{
    enum { MANY = 60 };
    STARTUPINFOA startup = {.cb = sizeof startup};
    static PROCESS_INFORMATION children[MANY];
    HANDLE handles[MANY];

    for (int i = 0; i < MANY; i++) {
        ASSERT_OK(start("true", 0, &startup, &children[i]));
        handles[i] = children[i].hProcess;
    }
    EXPECT_EQ(WaitForMultipleObjects(MANY, handles, TRUE, LIMIT_MS), WAIT_OBJECT_0);
    for (int i = 0; i < MANY; i++)
        EXPECT_EQ(end_of(&children[i]), 0);
}

TEST_IN_EACH_KIND(Win32Children, that_cannot_be)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION child;
    char text[] = "/tmp/ums-no-program-XXXXXX";
    int fd = mkstemp(text);

    close(fd);
    EXPECT_FAILS(start("no-such-program-at-all x", 0, &startup, &child), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(start("/no/such/folder/x", 0, &startup, &child), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(start("/tmp", 0, &startup, &child), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(start(text, 0, &startup, &child), ERROR_ACCESS_DENIED); /* may not be executed */
    EXPECT_FAILS(start("true", DEBUG_PROCESS, &startup, &child), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(CreateProcessA("/bin/true", NULL, NULL, NULL, FALSE, 0, NULL, "/no-such-folder",
                                &startup, &child),
                 ERROR_DIRECTORY);
    EXPECT_FAILS(CreateProcessA(NULL, NULL, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &child),
                 ERROR_INVALID_PARAMETER);
    EXPECT_EQ(unlink(text), 0);
}

/* A child's child tells its number, and is waited for and ended by that. */
TEST_IN_EACH_KIND(Win32Children, one_that_is_anothers)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION child;
    char text[32] = "";
    char path[512];
    DWORD size = sizeof path;
    DWORD count;
    DWORD code = 0;
    HANDLE out;
    HANDLE other;
    HANDLE twin;

    ASSERT_OK(CreatePipe(&out, &startup.hStdOutput, &inherited, 0));
    ASSERT_OK(start("sh -c \"sleep 1000 & echo $!; wait\"", 0, &startup, &child));
    EXPECT_OK(CloseHandle(startup.hStdOutput));
    EXPECT_OK(ReadFile(out, text, sizeof text - 1, &count, NULL));
    other = OpenProcess(PROCESS_ALL_ACCESS, FALSE, (DWORD)atoi(text));
    twin = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)atoi(text));
    ASSERT_NE(other, NULL);
    ASSERT_NE(twin, NULL);
    EXPECT_OK(GetProcessId(other) == (DWORD)atoi(text));
    EXPECT_OK(QueryFullProcessImageNameA(other, 0, path, &size));
    EXPECT_EQ(WaitForSingleObject(other, 0), WAIT_TIMEOUT);
    EXPECT_OK(GetExitCodeProcess(other, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_OK(TerminateProcess(other, 6));
    EXPECT_EQ(WaitForSingleObject(twin, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(other, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(other, &code));
    EXPECT_EQ(code, 6);
    EXPECT_FAILS(TerminateProcess(other, 6), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(other));
    EXPECT_OK(CloseHandle(twin));
    EXPECT_OK(CloseHandle(out));
    EXPECT_EQ(end_of(&child), 0);
}

TEST_IN_EACH_KIND(Win32Children, handles_of_processes)
{
    char path[512];
    DWORD size = sizeof path;
    DWORD code = 0;
    HANDLE self = OpenProcess(PROCESS_ALL_ACCESS, FALSE, GetCurrentProcessId());
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    STARTUPINFOA startup;

    ASSERT_NE(self, NULL);
    EXPECT_OK(GetExitCodeProcess(self, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_EQ(GetProcessId(self), GetCurrentProcessId());
    EXPECT_OK(QueryFullProcessImageNameA(self, 0, path, &size));
    EXPECT_EQ(size, strlen(path));
    size = 3;
    EXPECT_FAILS(QueryFullProcessImageNameA(self, 0, path, &size), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_OK(CloseHandle(self));
    EXPECT_FAILS(GetExitCodeProcess(event, &code), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(TerminateProcess(event, 1), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(TerminateProcess(NULL, 1), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(OpenProcess(PROCESS_ALL_ACCESS, FALSE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(OpenProcess(PROCESS_ALL_ACCESS, FALSE, 0x7ffffff0), ERROR_INVALID_PARAMETER);
    if (geteuid())
        EXPECT_FAILS(OpenProcess(PROCESS_ALL_ACCESS, FALSE, 1), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(SetHandleInformation(event, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT),
                 ERROR_NOT_SUPPORTED);
    EXPECT_OK(CloseHandle(event));
    GetStartupInfoA(&startup);
    EXPECT_EQ(startup.hStdOutput, GetStdHandle(STD_OUTPUT_HANDLE));
}
