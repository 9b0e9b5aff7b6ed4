/* SPDX-License-Identifier: MIT
 *
 * job.h - a program that ends with whoever has started it.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_JOB_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_JOB_H

#include <windows.h>

/* A job ends its processes when its last handle is closed, as it is when this process is killed. A
 * program that starts a process outside of its job may do so as without the job; one that this
 * process is in itself decides. NULL: none can be had. */
HANDLE job_make(void);
/* Processes that the program leaves behind may live on. */
void job_release(HANDLE job);

#endif
