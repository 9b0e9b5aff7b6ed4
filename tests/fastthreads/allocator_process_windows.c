/* SPDX-License-Identifier: MIT
 *
 * allocator_process_windows.c - processes from the programs beside this one, messages by a pipe of the test's own.
 */
#include "allocator_process.h"

#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

static HANDLE allocator;

/* The program beside this one. NULL: it did not start. */
static HANDLE begin(const char *program, const char *options)
{
    STARTUPINFOA startup = {.cb = sizeof(startup)};
    PROCESS_INFORMATION process = {0};
    char path[MAX_PATH] = "", line[2 * MAX_PATH];
    char *slash;

    GetModuleFileNameA(NULL, path, sizeof(path));
    slash = strrchr(path, '\\');
    snprintf(line, sizeof(line), "\"%.*s\\%s.exe\" %s", slash ? (int)(slash - path) : 0, path,
             program, options);
    if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process)) {
        FAIL("cannot start %s: error %lu", line, (unsigned long)GetLastError());
        return NULL;
    }
    CloseHandle(process.hThread);
    return process.hProcess;
}

/* Its exit code, within the limit; -1: it had to be ended. */
static int end_of(HANDLE process)
{
    DWORD code = (DWORD)-1;

    if (WaitForSingleObject(process, LIMIT_MS) == WAIT_OBJECT_0)
        GetExitCodeProcess(process, &code);
    else
        TerminateProcess(process, 1);
    CloseHandle(process);
    return (int)code;
}

static HANDLE begin_allocator(const char *quantum)
{
    char options[128];

    snprintf(options, sizeof(options), "--name %s --quantum %s%s%s", allocator_name, quantum,
             allocator_feedback ? " --feedback " : "",
             allocator_feedback ? allocator_feedback : "");
    return begin("ft_allocator", options);
}

void allocator_begin(const char *quantum)
{
    allocator = begin_allocator(quantum);
}

enum { KILLED = 77 };

void kill_allocator(void)
{
    EXPECT_OK(TerminateProcess(allocator, KILLED));
}

void allocator_is_gone(void)
{
    EXPECT_EQ(end_of(allocator), KILLED);
}

void end_allocator(void)
{
    char name[128];
    HANDLE stop;

    snprintf(name, sizeof(name), "Local\\fastthreads-%s", allocator_name);
    stop = OpenEventA(EVENT_MODIFY_STATE, FALSE, name);
    EXPECT_OK(stop && SetEvent(stop));
    CloseHandle(stop);
    EXPECT_EQ(end_of(allocator), 0);
}

int second_allocator(void)
{
    HANDLE second = begin_allocator("100");

    return second ? end_of(second) : -1;
}

BOOL client_crashes(void)
{
    HANDLE client = begin("ft_crashing_client", allocator_name);

    return client && end_of(client) == KILLED;
}

BOOL hangs_up_on(const char *message, int bytes)
{
    char path[128];
    HANDLE pipe;
    DWORD moved = 0;
    BOOL ended;

    snprintf(path, sizeof(path), "\\\\.\\pipe\\fastthreads-%s", allocator_name);
    WaitNamedPipeA(path, LIMIT_MS);
    pipe = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ended = pipe != INVALID_HANDLE_VALUE && WriteFile(pipe, message, (DWORD)bytes, &moved, NULL) &&
            moved == (DWORD)bytes && !ReadFile(pipe, path, 1, &moved, NULL);
    EXPECT_EQ(GetLastError(), ERROR_PIPE_NOT_CONNECTED);
    CloseHandle(pipe);
    return ended;
}
