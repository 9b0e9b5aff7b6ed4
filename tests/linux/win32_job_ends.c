/* SPDX-License-Identifier: MIT
 *
 * win32_job_ends.c - jobs on Linux: processes that outlive their parents, a process that dies
 * with a job open, limits, and processes that leave a job. Some parts are this program started once
 * more.
 *
 * modes: default
 * options: LIMIT 120
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_MS = 100000 }; /* a busy machine gives a second of processor time late */

static const char variable[] = "UMSSHIM_TEST_PART";

static bool start(const char *line, DWORD flags, HANDLE out, PROCESS_INFORMATION *child)
{
    char copy[512];
    STARTUPINFOA startup = {.cb = sizeof startup};

    if (out) {
        startup.dwFlags = STARTF_USESTDHANDLES;
        startup.hStdOutput = out;
    }
    return CreateProcessA(NULL, strcpy(copy, line), NULL, NULL, FALSE, flags, NULL, NULL, &startup,
                          child);
}

/* Starts this program as a child that does its part. */
static bool start_part(const char *part, DWORD flags, HANDLE out, PROCESS_INFORMATION *child)
{
    char program[MAX_PATH];
    char line[MAX_PATH + 100];
    bool started;

    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "\"%s\" --gtest_filter=Win32JobEnds.parts", program);
    SetEnvironmentVariableA(variable, part);
    started = start(line, flags, out, child);
    SetEnvironmentVariableA(variable, NULL);
    EXPECT_OK(started);
    return started;
}

static DWORD end_of(PROCESS_INFORMATION *child)
{
    DWORD code = 77;

    EXPECT_EQ(WaitForSingleObject(child->hProcess, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(child->hProcess, &code));
    EXPECT_OK(CloseHandle(child->hThread));
    EXPECT_OK(CloseHandle(child->hProcess));
    return code;
}

static HANDLE job_with(DWORD flags)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.ProcessMemoryLimit = 64 << 20};

    limits.BasicLimitInformation.LimitFlags = flags;
    limits.BasicLimitInformation.ActiveProcessLimit = 1;
    limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = 1; /* a second, rounded up */
    EXPECT_OK(
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits));
    return job;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The child's child leaves the session. This process is killed while it holds the job's last
 * handle. */
static void hold(void)
{
    PROCESS_INFORMATION child;
    HANDLE job = job_with(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);

    if (start("sh -c \"setsid sleep 1000 & exec sleep 1000\"", CREATE_SUSPENDED, NULL, &child) &&
        AssignProcessToJobObject(job, child.hProcess) && ResumeThread(child.hThread) == 1 &&
        WaitForSingleObject(child.hProcess, 0) == WAIT_TIMEOUT)
        write(STDOUT_FILENO, "held", 4);
    kill(getpid(), SIGKILL);
}

/* This process is in the job itself, and what it makes is, too. */
static void join(void)
{
    PROCESS_INFORMATION child;
    HANDLE job = job_with(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
    BOOL self = FALSE;
    BOOL other = FALSE;

    if (AssignProcessToJobObject(job, GetCurrentProcess()) &&
        IsProcessInJob(GetCurrentProcess(), job, &self) && start("sleep 1000", 0, NULL, &child) &&
        IsProcessInJob(child.hProcess, job, &other) && self && other)
        write(STDOUT_FILENO, "held", 4);
    CloseHandle(job);
    _exit(3); /* not reached: the job has killed this process, with 0 */
}

/* 0: the child is in no job, 1: in one, 2: it could not be made for want of the right to leave. */
static void leave(DWORD flags)
{
    PROCESS_INFORMATION child;
    BOOL in = TRUE;

    if (!start("sleep 1000", flags, NULL, &child))
        _exit(GetLastError() == ERROR_ACCESS_DENIED ? 2 : 4);
    if (!IsProcessInJob(child.hProcess, NULL, &in) || !TerminateProcess(child.hProcess, 0))
        _exit(5);
    WaitForSingleObject(child.hProcess, LIMIT_MS);
    _exit(in);
}

TEST(Win32JobEnds, parts)
{
    const char *part = getenv(variable);

    if (!part)
        return;
    if (!strcmp(part, "hold"))
        hold();
    else if (!strcmp(part, "join"))
        join();
    else
        leave(!strcmp(part, "leave") ? CREATE_BREAKAWAY_FROM_JOB : 0);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* All that have the pipe have ended when there is nothing more to read. */
static void expect_all_end(const char *part, DWORD code)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    PROCESS_INFORMATION child;
    char text[4096];
    DWORD length = 0;
    DWORD count = 0;
    HANDLE in;
    HANDLE out;

    ASSERT_OK(CreatePipe(&in, &out, &inherited, 0));
    ASSERT_OK(start_part(part, 0, out, &child));
    EXPECT_OK(CloseHandle(out));
    while (length < sizeof text - 1 &&
           ReadFile(in, text + length, (DWORD)sizeof text - 1 - length, &count, NULL) && count)
        length += count;
    text[length] = 0;
    EXPECT_THAT(strstr(text, "held"), "it says \"%s\"", text);
    EXPECT_EQ(end_of(&child), code);
    EXPECT_OK(CloseHandle(in));
}

TEST_IN_EACH_KIND(Win32JobEnds, when_its_process_dies)
{
    expect_all_end("hold", 128 + SIGKILL);
}

TEST_IN_EACH_KIND(Win32JobEnds, with_its_own_process)
{
    expect_all_end("join", 0);
}

/* A job ends a process whose parent has ended, and which has a session and an environment of its
 * own. */
TEST_IN_EACH_KIND(Win32JobEnds, one_that_nobody_is_parent_of)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT way = {NULL, port};
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION account;
    static const DWORD wanted[] = {JOB_OBJECT_MSG_NEW_PROCESS, JOB_OBJECT_MSG_NEW_PROCESS,
                                   JOB_OBJECT_MSG_EXIT_PROCESS, JOB_OBJECT_MSG_EXIT_PROCESS,
                                   JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO};
    PROCESS_INFORMATION child;
    DWORD message = 0;
    ULONG_PTR key;
    OVERLAPPED *id;

    ASSERT_OK(SetInformationJobObject(job, JobObjectAssociateCompletionPortInformation, &way,
                                      sizeof way));
    ASSERT_OK(start("sh -c \"env -i setsid sleep 1000 & exit 3\"", CREATE_SUSPENDED, NULL, &child));
    EXPECT_OK(AssignProcessToJobObject(job, child.hProcess));
    EXPECT_FAILS(AssignProcessToJobObject(job, child.hProcess), ERROR_ACCESS_DENIED);
    EXPECT_EQ(ResumeThread(child.hThread), 1);
    EXPECT_EQ(end_of(&child), 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(GetQueuedCompletionStatus(port, &message, &key, &id, LIMIT_MS));
        EXPECT_EQ(message, wanted[i]);
    }
    EXPECT_OK(QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &account,
                                        sizeof account, NULL));
    EXPECT_EQ(account.ActiveProcesses, 1);
    EXPECT_EQ(account.TotalProcesses, 2);
    EXPECT_OK(TerminateJobObject(job, 1));
    for (int i = 3; i < 5; i++) {
        EXPECT_OK(GetQueuedCompletionStatus(port, &message, &key, &id, LIMIT_MS));
        EXPECT_EQ(message, wanted[i]);
    }
    EXPECT_OK(CloseHandle(job));
    EXPECT_OK(CloseHandle(port));
}

static volatile LONG looking;

static DWORD WINAPI look(LPVOID job)
{
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION account;

    while (looking)
        EXPECT_OK(QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &account,
                                            sizeof account, NULL));
    return 0;
}

/* A thread that asks meanwhile may be the first to find that a process is in the job. */
TEST(Win32JobEnds, looked_at_while_processes_come)
{
    enum { MANY = 20 };
    HANDLE job = CreateJobObjectA(NULL, NULL);
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT way = {NULL, port};
    PROCESS_INFORMATION children[MANY];
    HANDLE thread;
    DWORD message = 0;
    ULONG_PTR key;
    OVERLAPPED *id;
    int come = 0, gone = 0;

    looking = 1;
    thread = CreateThread(NULL, 0, look, job, 0, NULL);
    ASSERT_OK(SetInformationJobObject(job, JobObjectAssociateCompletionPortInformation, &way,
                                      sizeof way));
    for (int i = 0; i < MANY; i++) {
        EXPECT_OK(start("sleep 1000", 0, NULL, &children[i]));
        EXPECT_OK(AssignProcessToJobObject(job, children[i].hProcess));
    }
    EXPECT_OK(TerminateJobObject(job, 4));
    for (int i = 0; i < MANY; i++)
        EXPECT_EQ(end_of(&children[i]), 4);
    /* A child may make a process of its own for a moment, as it begins: that is a member, too. */
    while (message != JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO) {
        ASSERT_OK(GetQueuedCompletionStatus(port, &message, &key, &id, LIMIT_MS));
        come += message == JOB_OBJECT_MSG_NEW_PROCESS;
        gone += message == JOB_OBJECT_MSG_EXIT_PROCESS ||
                message == JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS;
    }
    EXPECT_GE(come, MANY); /* none is the last before all */
    EXPECT_EQ(gone, come);
    looking = 0;
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(job));
    EXPECT_OK(CloseHandle(port));
}

/* ---- Limits ---------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32JobEnds, one_process_too_many)
{
    HANDLE job = job_with(JOB_OBJECT_LIMIT_ACTIVE_PROCESS);
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION account;
    PROCESS_INFORMATION one;
    PROCESS_INFORMATION other;

    ASSERT_OK(start("sleep 1000", 0, NULL, &one));
    ASSERT_OK(start("sleep 1000", 0, NULL, &other));
    EXPECT_OK(AssignProcessToJobObject(job, one.hProcess));
    EXPECT_FAILS(AssignProcessToJobObject(job, other.hProcess), ERROR_NOT_ENOUGH_QUOTA);
    EXPECT_EQ(end_of(&other), ERROR_NOT_ENOUGH_QUOTA);
    EXPECT_OK(QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &account,
                                        sizeof account, NULL));
    EXPECT_EQ(account.TotalTerminatedProcesses, 1);
    EXPECT_OK(TerminateJobObject(job, 1));
    EXPECT_EQ(end_of(&one), 1);
    EXPECT_OK(CloseHandle(job));
}

TEST(Win32JobEnds, too_much_time)
{
    HANDLE job = job_with(JOB_OBJECT_LIMIT_PROCESS_TIME);
    PROCESS_INFORMATION child;

    ASSERT_OK(start("sh -c \"while :; do :; done\"", CREATE_SUSPENDED, NULL, &child));
    EXPECT_OK(AssignProcessToJobObject(job, child.hProcess));
    EXPECT_EQ(ResumeThread(child.hThread), 1);
    EXPECT_EQ(end_of(&child), ERROR_NOT_ENOUGH_QUOTA);
    EXPECT_OK(CloseHandle(job));
}

static DWORD run_with(DWORD flags)
{
    HANDLE job = job_with(flags);
    PROCESS_INFORMATION child;
    DWORD code;

    EXPECT_OK(start("sh -c \"head -c 100000000 /dev/zero | tail -c 100000000 >/dev/null\"",
                    CREATE_SUSPENDED, NULL, &child));
    EXPECT_OK(AssignProcessToJobObject(job, child.hProcess));
    EXPECT_EQ(ResumeThread(child.hThread), 1);
    code = end_of(&child);
    EXPECT_OK(CloseHandle(job));
    return code;
}

TEST(Win32JobEnds, too_much_memory)
{
    EXPECT_EQ(run_with(JOB_OBJECT_LIMIT_PROCESS_MEMORY), 1);
    EXPECT_EQ(run_with(0), 0);
}

/* ---- Leaving --------------------------------------------------------------------------------- */

static DWORD code_of_part(DWORD flags, const char *part)
{
    HANDLE job = job_with(flags);
    PROCESS_INFORMATION child;
    DWORD code;

    if (!start_part(part, CREATE_SUSPENDED, NULL, &child))
        return 99;
    EXPECT_OK(AssignProcessToJobObject(job, child.hProcess));
    EXPECT_EQ(ResumeThread(child.hThread), 1);
    code = end_of(&child);
    EXPECT_OK(CloseHandle(job));
    return code;
}

TEST(Win32JobEnds, who_leaves)
{
    EXPECT_EQ(code_of_part(0, "stay"), 1);
    EXPECT_EQ(code_of_part(0, "leave"), 2);
    EXPECT_EQ(code_of_part(JOB_OBJECT_LIMIT_BREAKAWAY_OK, "stay"), 1);
    EXPECT_EQ(code_of_part(JOB_OBJECT_LIMIT_BREAKAWAY_OK, "leave"), 0);
    EXPECT_EQ(code_of_part(JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK, "stay"), 0);
}
