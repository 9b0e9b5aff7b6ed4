/* SPDX-License-Identifier: MIT
 *
 * win32_jobs.c - job objects: which processes are in one, and how they end. The processes are this
 * program started once more.
 *
 * Not on Windows: Wine 8 leaves processes behind that are ended while they start.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "own_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 20000 };

static HANDLE const garbage = (HANDLE)0x7777770;
static const char variable[] = "UMSSHIM_TEST_PART";

/* This program as a process that does its part. The caller closes both handles. */
static bool start(const char *part, DWORD flags, PROCESS_INFORMATION *child)
{
    char program[MAX_PATH];
    char line[MAX_PATH + 100];
    STARTUPINFOA startup = {.cb = sizeof startup};
    BOOL started;

    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "\"%s\" --gtest_filter=Win32Jobs.ended_together", program);
    SetEnvironmentVariableA(variable, part);
    started = CreateProcessA(program, line, NULL, NULL, FALSE, flags, NULL, NULL, &startup, child);
    SetEnvironmentVariableA(variable, NULL);
    EXPECT_OK(started);
    return started;
}

static void close_handles(const PROCESS_INFORMATION *child)
{
    EXPECT_OK(CloseHandle(child->hThread));
    EXPECT_OK(CloseHandle(child->hProcess));
}

/* A process that start() has made does its part here, and this does not return. In another process
 * it does nothing. */
static void do_part(void)
{
    char part[16];
    PROCESS_INFORMATION child;

    if (!GetEnvironmentVariableA(variable, part, sizeof part))
        return;
    if (!strcmp(part, "exit"))
        ExitProcess(5);
    if (!strcmp(part, "parent") && start("sleep", 0, &child))
        WaitForSingleObject(child.hProcess, LIMIT_MS);
    Sleep(LIMIT_MS);
    ExitProcess(1);
}

/* Begun in the job. */
static bool start_in(HANDLE job, const char *part, PROCESS_INFORMATION *child)
{
    BOOL in = 7;

    if (!start(part, CREATE_SUSPENDED, child))
        return false;
    EXPECT_OK(IsProcessInJob(child->hProcess, job, &in));
    EXPECT_EQ(in, FALSE);
    EXPECT_OK(AssignProcessToJobObject(job, child->hProcess));
    EXPECT_OK(IsProcessInJob(child->hProcess, job, &in));
    EXPECT_EQ(in, TRUE);
    EXPECT_OK(IsProcessInJob(child->hProcess, NULL, &in));
    EXPECT_EQ(in, TRUE);
    EXPECT_EQ(ResumeThread(child->hThread), 1);
    return true;
}

/* Waits until the job has so many processes: theirs are not this process's to wait for. */
static void wait_for_count(HANDLE job, DWORD count)
{
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION account = {.ActiveProcesses = 77};
    ULONGLONG end = GetTickCount64() + LIMIT_MS;

    do {
        EXPECT_OK(QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &account,
                                            sizeof account, NULL));
        Sleep(1);
    } while (account.ActiveProcesses != count && GetTickCount64() < end);
    EXPECT_EQ(account.ActiveProcesses, count);
}

static void expect_end(HANDLE process, DWORD wanted)
{
    DWORD code = 77;

    EXPECT_EQ(WaitForSingleObject(process, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(process, &code));
    EXPECT_EQ(code, wanted);
}

static void ended_together(void *unused)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION account;
    PROCESS_INFORMATION one;
    PROCESS_INFORMATION other;
    BOOL in = 7;

    ASSERT_NE(job, NULL);
    if (start_in(job, "sleep", &one) && start_in(job, "sleep", &other)) {
        wait_for_count(job, 2);
        EXPECT_OK(TerminateJobObject(job, 9));
        expect_end(one.hProcess, 9);
        expect_end(other.hProcess, 9);
        wait_for_count(job, 0);
        EXPECT_OK(QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &account,
                                            sizeof account, NULL));
        EXPECT_EQ(account.TotalProcesses, 2);
        close_handles(&one);
        close_handles(&other);
    }
    EXPECT_OK(IsProcessInJob(GetCurrentProcess(), job, &in));
    EXPECT_EQ(in, FALSE);
    EXPECT_OK(CloseHandle(job));
}

TEST(Win32Jobs, ended_together)
{
    do_part();
    in_each_kind(ended_together, NULL);
}

/* A process that one in the job makes is in it. */
TEST_IN_EACH_KIND(Win32Jobs, children_of_children)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    PROCESS_INFORMATION parent;

    if (start_in(job, "parent", &parent)) {
        wait_for_count(job, 2);
        EXPECT_OK(TerminateJobObject(job, 3));
        expect_end(parent.hProcess, 3);
        wait_for_count(job, 0);
        close_handles(&parent);
    }
    EXPECT_OK(CloseHandle(job));
}

TEST_IN_EACH_KIND(Win32Jobs, killed_with_the_last_handle)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    HANDLE twin = NULL;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.ProcessMemoryLimit = 0};
    PROCESS_INFORMATION child;

    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    ASSERT_OK(
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits));
    ASSERT_OK(DuplicateHandle(GetCurrentProcess(), job, GetCurrentProcess(), &twin, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    if (start_in(job, "parent", &child)) {
        wait_for_count(job, 2);
        EXPECT_OK(CloseHandle(job));
        EXPECT_EQ(WaitForSingleObject(child.hProcess, 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(twin));
        EXPECT_EQ(WaitForSingleObject(child.hProcess, LIMIT_MS), WAIT_OBJECT_0);
        close_handles(&child);
    }
}

static void expect_message(HANDLE port, DWORD wanted, DWORD pid)
{
    DWORD message = 77;
    ULONG_PTR key = 0;
    OVERLAPPED *id = NULL;

    EXPECT_OK(GetQueuedCompletionStatus(port, &message, &key, &id, LIMIT_MS));
    EXPECT_EQ(message, wanted);
    EXPECT_EQ(key, 4711);
    EXPECT_EQ((ULONG_PTR)id, pid);
}

TEST_IN_EACH_KIND(Win32Jobs, messages)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT way = {(void *)(ULONG_PTR)4711, port};
    PROCESS_INFORMATION child;

    ASSERT_OK(SetInformationJobObject(job, JobObjectAssociateCompletionPortInformation, &way,
                                      sizeof way));
    if (start_in(job, "exit", &child)) {
        expect_message(port, JOB_OBJECT_MSG_NEW_PROCESS, child.dwProcessId);
        expect_message(port, JOB_OBJECT_MSG_EXIT_PROCESS, child.dwProcessId);
        expect_message(port, JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO, 0);
        expect_end(child.hProcess, 5);
        close_handles(&child);
    }
    EXPECT_OK(CloseHandle(job));
    EXPECT_OK(CloseHandle(port));
}

TEST_IN_EACH_KIND(Win32Jobs, ids_of_processes)
{
    struct {
        JOBOBJECT_BASIC_PROCESS_ID_LIST list;
        ULONG_PTR more[7];
    } ids;
    HANDLE job = CreateJobObjectA(NULL, NULL);
    PROCESS_INFORMATION one;
    PROCESS_INFORMATION other;
    DWORD length = 0;

    if (start_in(job, "sleep", &one) && start_in(job, "sleep", &other)) {
        EXPECT_OK(
            QueryInformationJobObject(job, JobObjectBasicProcessIdList, &ids, sizeof ids, &length));
        EXPECT_EQ(length,
                  offsetof(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList) + 2 * sizeof(ULONG_PTR));
        EXPECT_EQ(ids.list.NumberOfAssignedProcesses, 2);
        EXPECT_EQ(ids.list.NumberOfProcessIdsInList, 2);
        EXPECT_EQ(ids.list.ProcessIdList[0] + ids.more[0],
                  (ULONG_PTR)one.dwProcessId + other.dwProcessId);
        EXPECT_FAILS(QueryInformationJobObject(job, JobObjectBasicProcessIdList, &ids.list,
                                               sizeof ids.list, NULL),
                     ERROR_MORE_DATA);
        EXPECT_EQ(ids.list.NumberOfAssignedProcesses, 2);
        EXPECT_EQ(ids.list.NumberOfProcessIdsInList, 1);
        EXPECT_OK(TerminateJobObject(job, 0));
        expect_end(one.hProcess, 0);
        expect_end(other.hProcess, 0);
        close_handles(&one);
        close_handles(&other);
    }
    EXPECT_OK(CloseHandle(job));
}

TEST_IN_EACH_KIND(Win32Jobs, by_name)
{
    const char *name = OWN_NAME("umsshim-test-job");
    HANDLE job = CreateJobObjectA(NULL, name);
    HANDLE twin = OpenJobObjectA(JOB_OBJECT_ALL_ACCESS, FALSE, name);
    HANDLE third;

    ASSERT_NE(job, NULL);
    EXPECT_OK(twin);
    third = CreateJobObjectA(NULL, name);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_OK(CloseHandle(third));
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, name), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(job));
    EXPECT_OK(CloseHandle(twin));
    EXPECT_FAILS(OpenJobObjectA(JOB_OBJECT_ALL_ACCESS, FALSE, name), ERROR_FILE_NOT_FOUND);
}

TEST_IN_EACH_KIND(Win32Jobs, limits)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.ProcessMemoryLimit = 0};
    JOBOBJECT_BASIC_LIMIT_INFORMATION basic = {.LimitFlags = JOB_OBJECT_LIMIT_ACTIVE_PROCESS};
    DWORD length = 0;

    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    EXPECT_OK(
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits));
    memset(&limits, 0, sizeof limits);
    EXPECT_OK(QueryInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                                        sizeof limits, &length));
    EXPECT_EQ(length, sizeof limits);
    EXPECT_EQ(limits.BasicLimitInformation.LimitFlags, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
    EXPECT_FAILS(SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, 4),
                 ERROR_BAD_LENGTH);
    EXPECT_FAILS(
        QueryInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, 4, NULL),
        ERROR_BAD_LENGTH);
    EXPECT_FAILS(SetInformationJobObject(job, JobObjectBasicLimitInformation, &basic, sizeof basic),
                 ERROR_INVALID_PARAMETER); /* no process at all */
    basic.ActiveProcessLimit = 3;
    EXPECT_OK(SetInformationJobObject(job, JobObjectBasicLimitInformation, &basic, sizeof basic));
    memset(&basic, 0, sizeof basic);
    EXPECT_OK(
        QueryInformationJobObject(job, JobObjectBasicLimitInformation, &basic, sizeof basic, NULL));
    EXPECT_EQ(basic.ActiveProcessLimit, 3);
    EXPECT_OK(CloseHandle(job));
}

TEST_IN_EACH_KIND(Win32Jobs, bad_arguments)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.ProcessMemoryLimit = 0};
    JOBOBJECT_BASIC_LIMIT_INFORMATION basic = {.LimitFlags = 0};
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT way = {NULL, event};
    BOOL in;

    EXPECT_FAILS(AssignProcessToJobObject(garbage, GetCurrentProcess()), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(AssignProcessToJobObject(event, GetCurrentProcess()), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(AssignProcessToJobObject(job, garbage), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(AssignProcessToJobObject(job, event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(TerminateJobObject(garbage, 1), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(TerminateJobObject(event, 1), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(IsProcessInJob(garbage, job, &in), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(IsProcessInJob(GetCurrentProcess(), event, &in), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetInformationJobObject(job, 999, &limits, sizeof limits),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueryInformationJobObject(job, 999, &limits, sizeof limits, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(
        SetInformationJobObject(event, JobObjectExtendedLimitInformation, &limits, sizeof limits),
        ERROR_INVALID_HANDLE);
    EXPECT_FAILS(
        SetInformationJobObject(job, JobObjectAssociateCompletionPortInformation, &way, sizeof way),
        ERROR_INVALID_HANDLE);
    basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE; /* only in the larger structure */
    EXPECT_FAILS(SetInformationJobObject(job, JobObjectBasicLimitInformation, &basic, sizeof basic),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(job));
}
