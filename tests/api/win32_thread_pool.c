/* SPDX-License-Identifier: MIT
 *
 * win32_thread_pool.c - work, simple callbacks and pools, and the thread pool together with UMS.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "pool_job.h"

TEST(Win32ThreadPool, each_submission_is_one_callback)
{
    struct job job;
    PTP_WORK object;

    job_init(&job);
    EXPECT_OK(SetEvent(job.gate));
    object = CreateThreadpoolWork(job_work, &job, NULL);
    ASSERT_NE(object, NULL);
    WaitForThreadpoolWorkCallbacks(object, FALSE); /* nothing to wait for */
    for (int i = 0; i < 1000; i++)
        SubmitThreadpoolWork(object);
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&job.count), 1000);
    CloseThreadpoolWork(object);
    job_clear(&job);
}

TEST(Win32ThreadPool, bad_arguments)
{
    TP_CALLBACK_ENVIRON unknown = {.Version = 77};

    EXPECT_FAILS(CreateThreadpoolWork(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateThreadpoolWork(job_work, NULL, &unknown), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TrySubmitThreadpoolCallback(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TrySubmitThreadpoolCallback(job_simple, NULL, &unknown), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueueUserWorkItem(NULL, NULL, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateThreadpool(&unknown), ERROR_INVALID_PARAMETER);
}

enum { TOGETHER = 40 };

static VOID CALLBACK meet(PTP_CALLBACK_INSTANCE instance, PVOID context)
{
    struct job *job = context;

    if (flag_add(&job->running, 1) == TOGETHER)
        EXPECT_OK(SetEvent(job->gate));
    EXPECT_SIGNALLED(job->gate);
    if (flag_add(&job->count, 1) == TOGETHER)
        EXPECT_OK(SetEvent(job->begun));
}

/* More than there are processors, and none can end before the last has begun. */
TEST(Win32ThreadPool, callbacks_that_wait_for_each_other_get_their_threads)
{
    struct job job;

    job_init(&job);
    for (int i = 0; i < TOGETHER; i++)
        EXPECT_OK(TrySubmitThreadpoolCallback(meet, &job, NULL));
    EXPECT_SIGNALLED(job.begun);
    EXPECT_EQ(flag_get(&job.count), TOGETHER);
    job_clear(&job);
}

TEST(Win32ThreadPool, maximum_holds_and_pending_callbacks_can_be_cancelled)
{
    struct job job;
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 2);
    PTP_WORK first, second;

    job_init(&job);
    first = CreateThreadpoolWork(job_work, &job, &environment);
    second = CreateThreadpoolWork(job_work, &job, &environment);
    ASSERT_OK(first && second);
    for (int i = 0; i < 10; i++)
        SubmitThreadpoolWork(first);
    EXPECT_SIGNALLED(job.begun);
    for (int i = 0; i < 10; i++)
        SubmitThreadpoolWork(second);
    WaitForThreadpoolWorkCallbacks(second, TRUE); /* no thread is left for them */
    EXPECT_OK(SetEvent(job.gate));
    WaitForThreadpoolWorkCallbacks(first, FALSE);
    EXPECT_EQ(flag_get(&job.count), 10);
    EXPECT_LE(flag_get(&job.most), 2);
    CloseThreadpoolWork(first);
    CloseThreadpoolWork(second);
    CloseThreadpool(pool);
    job_clear(&job);
}

TEST(Win32ThreadPool, work_and_pool_closed_while_the_callback_runs)
{
    struct job job;
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 1);
    PTP_CLEANUP_GROUP group = CreateThreadpoolCleanupGroup();
    PTP_WORK object;

    job_init(&job);
    SetThreadpoolCallbackCleanupGroup(&environment, group, NULL);
    EXPECT_OK(SetThreadpoolThreadMinimum(pool, 1));
    object = CreateThreadpoolWork(job_work, &job, &environment);
    ASSERT_NE(object, NULL);
    SubmitThreadpoolWork(object);
    EXPECT_SIGNALLED(job.begun);
    CloseThreadpoolWork(object);
    CloseThreadpool(pool);
    EXPECT_OK(SetEvent(job.gate));
    /* Closed work with a callback is still the group's to wait for. */
    CloseThreadpoolCleanupGroupMembers(group, FALSE, NULL);
    EXPECT_EQ(flag_get(&job.count), 1);
    CloseThreadpoolCleanupGroup(group);
    job_clear(&job);
}

TEST(Win32ThreadPool, queued_items_run_long_or_short)
{
    static const ULONG flags[] = {WT_EXECUTEDEFAULT, WT_EXECUTELONGFUNCTION};
    struct job jobs[2];

    for (int i = 0; i < 2; i++) {
        job_init(&jobs[i]);
        EXPECT_OK(QueueUserWorkItem(job_item, &jobs[i], flags[i]));
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_SIGNALLED(jobs[i].begun);
        EXPECT_EQ(flag_get(&jobs[i].count), 0);
        EXPECT_OK(SetEvent(jobs[i].gate));
        EXPECT_OK(wait_until(&jobs[i].count, MEANWHILE_MS));
        job_clear(&jobs[i]);
    }
}

/* ---- together with UMS ---- */

struct work_case {
    struct job job;
    PTP_WORK object;
};

static void submit_and_wait(void *arg)
{
    struct work_case *c = arg;

    SubmitThreadpoolWork(c->object);
    WaitForThreadpoolWorkCallbacks(c->object, FALSE);
}

static void open_work(void *arg)
{
    EXPECT_OK(SetEvent(((struct work_case *)arg)->job.gate));
}

static void run_work_case(enum kind kind)
{
    struct work_case c;

    job_init(&c.job);
    c.object = CreateThreadpoolWork(job_work, &c.job, NULL);
    ASSERT_NE(c.object, NULL);
    on_kind(kind, submit_and_wait, open_work, &c);
    EXPECT_EQ(flag_get(&c.job.count), 1);
    CloseThreadpoolWork(c.object);
    job_clear(&c.job);
}

CALL_TEST(Win32ThreadPool, submitted_and_waited_for_by_a_worker_BL_1, run_work_case(KIND_WORKER))
CALL_TEST(Win32ThreadPool, submitted_and_waited_for_by_a_scheduler, run_work_case(KIND_SCHEDULER))
CALL_TEST(Win32ThreadPool, submitted_and_waited_for_by_a_plain_thread, run_work_case(KIND_PLAIN))

static void sleep_in_worker(struct worker *self)
{
    Sleep(1);
    flag_add(self->arg, 1);
}

static VOID CALLBACK schedule(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    struct fleet *fleet = fleet_create(1, 4, 0);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 4; i++)
        fleet_add(fleet, sleep_in_worker, context);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

TEST(Win32ThreadPool, a_callback_may_be_a_scheduler)
{
    int count = 0;
    PTP_WORK object = CreateThreadpoolWork(schedule, &count, NULL);

    for (int i = 0; i < 3; i++)
        SubmitThreadpoolWork(object);
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&count), 12);
    CloseThreadpoolWork(object);
}

static VOID CALLBACK measure_stack(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK work)
{
    ULONG_PTR low, high;

    GetCurrentThreadStackLimits(&low, &high);
    *(SIZE_T *)context = high - low;
}

TEST(Win32ThreadPool, stacks_of_its_threads)
{
    TP_POOL_STACK_INFORMATION information = {0, 0};
    TP_CALLBACK_ENVIRON environment;
    SIZE_T measured = 0;
    PTP_POOL pool = CreateThreadpool(NULL);
    PTP_WORK work;

    ASSERT_NE(pool, NULL);
    EXPECT_OK(QueryThreadpoolStackInformation(pool, &information));
    EXPECT_EQ(information.StackReserve, 1 << 20);
    information = (TP_POOL_STACK_INFORMATION){4 << 20, 4096};
    EXPECT_OK(SetThreadpoolStackInformation(pool, &information));
    InitializeThreadpoolEnvironment(&environment);
    SetThreadpoolCallbackPool(&environment, pool);
    SetThreadpoolCallbackPriority(&environment, TP_CALLBACK_PRIORITY_HIGH);
    work = CreateThreadpoolWork(measure_stack, &measured, &environment);
    ASSERT_NE(work, NULL);
    SubmitThreadpoolWork(work);
    WaitForThreadpoolWorkCallbacks(work, FALSE);
    EXPECT_GE(measured, 3 << 20);
    CloseThreadpoolWork(work);
    information.StackReserve = 0;
    EXPECT_FAILS(SetThreadpoolStackInformation(pool, &information), ERROR_INVALID_PARAMETER);
    information = (TP_POOL_STACK_INFORMATION){4096, 8192};
    EXPECT_FAILS(SetThreadpoolStackInformation(pool, &information), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueryThreadpoolStackInformation(NULL, &information), ERROR_INVALID_PARAMETER);
    CloseThreadpool(pool);
}
