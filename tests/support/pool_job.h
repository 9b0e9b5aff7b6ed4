/* SPDX-License-Identifier: MIT
 *
 * pool_job.h - callbacks of the thread pool that count, and wait for a gate.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_POOL_JOB_H
#define UMSSHIM_TESTS_SUPPORT_POOL_JOB_H

#include <windows.h>

struct job {
    HANDLE begun; /* manual: set by each callback */
    HANDLE gate;  /* manual: callbacks wait for it */
    HANDLE extra; /* for the test's own use */
    int count;    /* callbacks that are over; the last thing that each raises */
    int running, most;
    int cancelled;
    CRITICAL_SECTION section;
};

void job_init(struct job *job);
void job_clear(struct job *job);
void do_job(struct job *job);

/* The job as each kind of callback. */
VOID CALLBACK job_work(PTP_CALLBACK_INSTANCE instance, PVOID job, PTP_WORK self);
VOID CALLBACK job_simple(PTP_CALLBACK_INSTANCE instance, PVOID job);
DWORD WINAPI job_item(LPVOID job);

/* An environment with a pool of at most this many threads. */
PTP_POOL small_pool(TP_CALLBACK_ENVIRON *environment, DWORD most);

/* The due time in so many milliseconds from now. */
FILETIME *in_ms(FILETIME *time, LONGLONG milliseconds);

#endif
