/* SPDX-License-Identifier: MIT
 *
 * job.c - see job.h.
 */
#include "winapi/windows/umsrun/job.h"

static void set_limits(HANDLE job, DWORD flags)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = flags;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

HANDLE job_make(void)
{
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job)
        set_limits(job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK);
    return job;
}

void job_release(HANDLE job)
{
    if (!job)
        return;
    set_limits(job, JOB_OBJECT_LIMIT_BREAKAWAY_OK);
    CloseHandle(job);
}
