/* SPDX-License-Identifier: MIT
 *
 * job_information.c - SetInformationJobObject, QueryInformationJobObject.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/linux/async/job_keeper.h"
#include "platform/linux/os/process_mark.h"
#include "winapi/linux/job.h"
#include "winapi/linux/process_list.h"

enum {
    /* JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION has no effect: here no crash opens a window. */
    SERVED = JOB_OBJECT_LIMIT_PROCESS_TIME | JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
             JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
             JOB_OBJECT_LIMIT_BREAKAWAY_OK | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK |
             JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
};

/* ---- Limits ---------------------------------------------------------------------------------- */

static DWORD limit_refusal(const JOBOBJECT_BASIC_LIMIT_INFORMATION *limits, DWORD valid)
{
    DWORD flags = limits->LimitFlags;
    if (flags & ~valid)
        return ERROR_INVALID_PARAMETER;
    if (flags & ~(DWORD)SERVED)
        return ERROR_NOT_SUPPORTED;
    if (flags & JOB_OBJECT_LIMIT_ACTIVE_PROCESS && !limits->ActiveProcessLimit)
        return ERROR_INVALID_PARAMETER;
    if (flags & JOB_OBJECT_LIMIT_PROCESS_TIME && limits->PerProcessUserTimeLimit.QuadPart <= 0)
        return ERROR_INVALID_PARAMETER;
    return ERROR_SUCCESS;
}

static uint64_t bits_of(DWORD flags)
{
    return (flags & JOB_OBJECT_LIMIT_BREAKAWAY_OK ? JOB_ALLOWS_BREAKAWAY : 0) |
           (flags & JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK ? JOB_BREAKS_AWAY : 0);
}

struct change {
    const struct job *job;
    DWORD dropped; /* limits that the call takes away */
};

static void change_process(pid_t pid, int pidfd, void *arg)
{
    const struct change *change = arg;
    (void)pidfd;
    mark_give(pid, change->job->mark);
    job_limit_process(change->job, pid, change->dropped);
}

/* Tells the keeper first: a job that ends its processes does so as soon as the call has
 * returned. */
static DWORD keep(struct job *job, bool wanted)
{
    uint64_t mark = job->mark | MARK_BITS;
    if (wanted && !job->kept && !job_keeper_add(mark))
        return ERROR_NOT_ENOUGH_MEMORY;
    if (!wanted && job->kept)
        job_keeper_remove(mark);
    job->kept = wanted;
    return ERROR_SUCCESS;
}

static DWORD set_limits(struct job *job, const JOBOBJECT_BASIC_LIMIT_INFORMATION *limits,
                        SIZE_T memory, DWORD valid)
{
    DWORD flags = limits->LimitFlags;
    DWORD error = limit_refusal(limits, valid);
    if (!error)
        error = keep(job, flags & JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
    if (error)
        return error;
    plat_lock(&job->lock);
    struct change change = {job, job->flags & ~flags};
    job->flags = flags;
    job->most = limits->ActiveProcessLimit;
    job->time = limits->PerProcessUserTimeLimit.QuadPart;
    job->memory = memory;
    job->mark = (job->mark & ~(uint64_t)MARK_BITS) | bits_of(flags);
    plat_unlock(&job->lock);
    mark_each(job->mark, change_process, &change);
    return ERROR_SUCCESS;
}

static void get_limits(struct job *job, JOBOBJECT_BASIC_LIMIT_INFORMATION *limits, SIZE_T *memory)
{
    plat_lock(&job->lock);
    limits->LimitFlags = job->flags;
    limits->ActiveProcessLimit = job->most;
    limits->PerProcessUserTimeLimit.QuadPart = job->time;
    *memory = job->memory;
    plat_unlock(&job->lock);
}

/* ---- The port -------------------------------------------------------------------------------- */

/* A job has one port at a time; NULL: none. */
static DWORD set_port(struct job *job, const JOBOBJECT_ASSOCIATE_COMPLETION_PORT *wanted)
{
    struct object *port = wanted->CompletionPort ? handle_object(wanted->CompletionPort) : NULL;
    if (wanted->CompletionPort && (!port || port->type != OBJECT_PORT)) {
        if (port)
            object_drop(port);
        return ERROR_INVALID_HANDLE;
    }
    plat_lock(&job->lock);
    struct object *before = job->port;
    job->port = port;
    job->key = wanted->CompletionKey;
    plat_unlock(&job->lock);
    if (before)
        object_drop(before);
    return ERROR_SUCCESS;
}

/* ---- Accounts -------------------------------------------------------------------------------- */

struct account {
    uint64_t user, system, faults; /* times in ticks */
};

/* Adds a process's own times, and those of its children that it has waited for. */
static void add_process(pid_t pid, int pidfd, void *arg)
{
    struct account *account = arg;
    char text[1024];
    const char *after = process_stat(pid, text, sizeof text);
    (void)pidfd;
    unsigned long long minor, major, user, system, children_user, children_system;
    if (!after ||
        sscanf(after + 1, " %*c %*s %*s %*s %*s %*s %*s %llu %*s %llu %*s %llu %llu %llu %llu",
               &minor, &major, &user, &system, &children_user, &children_system) != 6)
        return;
    account->user += user + children_user;
    account->system += system + children_system;
    account->faults += minor + major;
}

static void get_account(struct job *job, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION *to)
{
    struct account account = {0};
    DWORD running = job_look(job);
    mark_each(job->mark, add_process, &account);
    uint64_t tick = 10000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    plat_lock(&job->lock);
    to->TotalUserTime.QuadPart = (LONGLONG)(account.user * tick + job->user / 100);
    to->TotalKernelTime.QuadPart = (LONGLONG)(account.system * tick + job->system / 100);
    to->TotalProcesses = job->total;
    to->TotalTerminatedProcesses = job->refused;
    plat_unlock(&job->lock);
    to->ThisPeriodTotalUserTime = to->TotalUserTime;
    to->ThisPeriodTotalKernelTime = to->TotalKernelTime;
    to->TotalPageFaultCount = (DWORD)account.faults;
    to->ActiveProcesses = running;
}

struct ids {
    JOBOBJECT_BASIC_PROCESS_ID_LIST *list;
    DWORD room;
};

static void add_id(pid_t pid, int pidfd, void *arg)
{
    struct ids *ids = arg;
    (void)pidfd;
    ids->list->NumberOfAssignedProcesses++;
    if (ids->list->NumberOfProcessIdsInList < ids->room)
        ids->list->ProcessIdList[ids->list->NumberOfProcessIdsInList++] = (ULONG_PTR)pid;
}

/* Lists as many numbers as fit. ERROR_MORE_DATA: there are more. */
static DWORD get_ids(const struct job *job, JOBOBJECT_BASIC_PROCESS_ID_LIST *list, DWORD bytes)
{
    DWORD head = offsetof(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList);
    struct ids ids = {list, (bytes - head) / (DWORD)sizeof *list->ProcessIdList};
    list->NumberOfAssignedProcesses = list->NumberOfProcessIdsInList = 0;
    mark_each(job->mark, add_id, &ids);
    return list->NumberOfProcessIdsInList < list->NumberOfAssignedProcesses ? ERROR_MORE_DATA
                                                                            : ERROR_SUCCESS;
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* The bytes of a class of information; 0: there is no such class, ERROR_INVALID_PARAMETER. */
static DWORD bytes_of(JOBOBJECTINFOCLASS class)
{
    switch (class) {
    case JobObjectBasicAccountingInformation:
        return sizeof(JOBOBJECT_BASIC_ACCOUNTING_INFORMATION);
    case JobObjectBasicLimitInformation:
        return sizeof(JOBOBJECT_BASIC_LIMIT_INFORMATION);
    case JobObjectBasicProcessIdList:
        return sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST);
    case JobObjectBasicUIRestrictions:
        return sizeof(JOBOBJECT_BASIC_UI_RESTRICTIONS);
    case JobObjectEndOfJobTimeInformation:
        return sizeof(JOBOBJECT_END_OF_JOB_TIME_INFORMATION);
    case JobObjectAssociateCompletionPortInformation:
        return sizeof(JOBOBJECT_ASSOCIATE_COMPLETION_PORT);
    case JobObjectBasicAndIoAccountingInformation:
        return sizeof(JOBOBJECT_BASIC_AND_IO_ACCOUNTING_INFORMATION);
    case JobObjectExtendedLimitInformation:
        return sizeof(JOBOBJECT_EXTENDED_LIMIT_INFORMATION);
    default:
        return 0;
    }
}

static DWORD set(struct job *job, JOBOBJECTINFOCLASS class, const void *from)
{
    const JOBOBJECT_EXTENDED_LIMIT_INFORMATION *extended = from;
    switch (class) {
    case JobObjectBasicLimitInformation:
        return set_limits(job, from, 0, JOB_OBJECT_BASIC_LIMIT_VALID_FLAGS);
    case JobObjectExtendedLimitInformation:
        return set_limits(job, &extended->BasicLimitInformation, extended->ProcessMemoryLimit,
                          JOB_OBJECT_EXTENDED_LIMIT_VALID_FLAGS);
    case JobObjectAssociateCompletionPortInformation:
        return set_port(job, from);
    case JobObjectBasicUIRestrictions:
    case JobObjectEndOfJobTimeInformation:
        return ERROR_NOT_SUPPORTED;
    default:
        return ERROR_INVALID_PARAMETER;
    }
}

BOOL WINAPI SetInformationJobObject(HANDLE hJob, JOBOBJECTINFOCLASS JobObjectInformationClass,
                                    LPVOID lpJobObjectInformation,
                                    DWORD cbJobObjectInformationLength)
{
    DWORD bytes = bytes_of(JobObjectInformationClass);
    if (!bytes || !lpJobObjectInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (cbJobObjectInformationLength != bytes)
        return win__fail(ERROR_BAD_LENGTH);
    struct job *job = win__job(hJob);
    if (!job)
        return FALSE;
    DWORD error = set(job, JobObjectInformationClass, lpJobObjectInformation);
    object_drop(&job->object);
    return error ? win__fail(error) : TRUE;
}

static DWORD get(struct job *job, JOBOBJECTINFOCLASS class, void *to, DWORD bytes)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION *extended = to;
    SIZE_T memory;
    switch (class) {
    case JobObjectBasicAccountingInformation:
        get_account(job, to);
        return ERROR_SUCCESS;
    case JobObjectBasicLimitInformation:
        memset(to, 0, bytes);
        get_limits(job, to, &memory);
        return ERROR_SUCCESS;
    case JobObjectExtendedLimitInformation:
        memset(to, 0, bytes);
        get_limits(job, &extended->BasicLimitInformation, &memory);
        extended->ProcessMemoryLimit = memory;
        return ERROR_SUCCESS;
    case JobObjectBasicProcessIdList:
        return get_ids(job, to, bytes);
    case JobObjectAssociateCompletionPortInformation:
        return ERROR_INVALID_PARAMETER; /* it can only be set */
    default:
        return ERROR_NOT_SUPPORTED;
    }
}

/* A NULL handle means the job that this process is in. The library knows only that there is one. */
BOOL WINAPI QueryInformationJobObject(HANDLE hJob, JOBOBJECTINFOCLASS JobObjectInformationClass,
                                      LPVOID lpJobObjectInformation,
                                      DWORD cbJobObjectInformationLength, LPDWORD lpReturnLength)
{
    DWORD bytes = bytes_of(JobObjectInformationClass), length = cbJobObjectInformationLength;
    bool list = JobObjectInformationClass == JobObjectBasicProcessIdList;
    if (!bytes || !lpJobObjectInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (list ? length < bytes : length != bytes)
        return win__fail(ERROR_BAD_LENGTH);
    if (!hJob)
        return win__fail(mark_of(0) ? ERROR_NOT_SUPPORTED : ERROR_ACCESS_DENIED);
    struct job *job = win__job(hJob);
    if (!job)
        return FALSE;
    DWORD error = get(job, JobObjectInformationClass, lpJobObjectInformation, length);
    object_drop(&job->object);
    if (lpReturnLength && list) {
        const JOBOBJECT_BASIC_PROCESS_ID_LIST *ids = lpJobObjectInformation;
        bytes = (DWORD)offsetof(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList) +
                ids->NumberOfProcessIdsInList * (DWORD)sizeof *ids->ProcessIdList;
    }
    if (lpReturnLength)
        *lpReturnLength = bytes;
    return error ? win__fail(error) : TRUE;
}
