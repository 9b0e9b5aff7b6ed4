/* SPDX-License-Identifier: MIT
 *
 * pool_job.c - callbacks of the thread pool that count, and wait for a gate.
 */
#include "pool_job.h"

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"

void job_init(struct job *job)
{
    *job = (struct job){.begun = new_manual_event(), .gate = new_manual_event()};
}

void job_clear(struct job *job)
{
    EXPECT_OK(CloseHandle(job->begun));
    EXPECT_OK(CloseHandle(job->gate));
}

void do_job(struct job *job)
{
    int running = flag_add(&job->running, 1);

    for (int most = flag_get(&job->most);
         most < running && !__atomic_compare_exchange_n(&job->most, &most, running, 0,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);) {
    }
    EXPECT_OK(SetEvent(job->begun));
    EXPECT_SIGNALLED(job->gate);
    flag_add(&job->running, -1);
    flag_add(&job->count, 1);
}

VOID CALLBACK job_work(PTP_CALLBACK_INSTANCE instance, PVOID job, PTP_WORK self)
{
    EXPECT_NE(instance, NULL);
    EXPECT_NE(self, NULL);
    do_job(job);
}

VOID CALLBACK job_simple(PTP_CALLBACK_INSTANCE instance, PVOID job)
{
    EXPECT_NE(instance, NULL);
    do_job(job);
}

DWORD WINAPI job_item(LPVOID job)
{
    do_job(job);
    return 0;
}

PTP_POOL small_pool(TP_CALLBACK_ENVIRON *environment, DWORD most)
{
    PTP_POOL pool = CreateThreadpool(NULL);

    EXPECT_NE(pool, NULL);
    SetThreadpoolThreadMaximum(pool, most);
    InitializeThreadpoolEnvironment(environment);
    SetThreadpoolCallbackPool(environment, pool);
    return pool;
}

FILETIME *in_ms(FILETIME *time, LONGLONG milliseconds)
{
    ULARGE_INTEGER due = {.QuadPart = (ULONGLONG)(-milliseconds * 10000)};

    *time = (FILETIME){due.LowPart, due.HighPart};
    return time;
}
