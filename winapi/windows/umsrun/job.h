/* SPDX-License-Identifier: MIT
 *
 * job.h - ends the program when umsrun ends.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_JOB_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_JOB_H

#include <windows.h>

/* Makes a job, which ends its processes when its last handle is closed, as when umsrun is killed.
 * The program may start a process outside of the job. If umsrun is in a job itself, that one may
 * forbid it. NULL: no job can be had. */
HANDLE job_make(void);
/* Closes the job, but lets processes that the program leaves behind live on. */
void job_release(HANDLE job);

#endif
