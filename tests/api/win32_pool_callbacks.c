/* SPDX-License-Identifier: MIT
 *
 * win32_pool_callbacks.c - cleanup groups, and the calls that a callback of the thread pool may
 * make about itself.
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

/* ---- cleanup groups ---- */

static VOID CALLBACK count_cancelled(PVOID context, PVOID cleanup_context)
{
    struct job *job = context;

    EXPECT_EQ(cleanup_context, &job->cancelled);
    EXPECT_EQ(flag_get(&job->running), 0); /* a program frees here what its callbacks use */
    flag_add(&job->cancelled, 1);
}

static void fill_group(struct job *job, TP_CALLBACK_ENVIRON *environment, PTP_CLEANUP_GROUP group)
{
    PTP_WORK object;

    SetThreadpoolCallbackCleanupGroup(environment, group, count_cancelled);
    EXPECT_OK(TrySubmitThreadpoolCallback(job_simple, job, environment));
    EXPECT_SIGNALLED(job->begun); /* the pool's one thread is taken */
    EXPECT_OK(TrySubmitThreadpoolCallback(job_simple, job, environment));
    object = CreateThreadpoolWork(job_work, job, environment);
    EXPECT_NE(object, NULL);
    SubmitThreadpoolWork(object);
    SubmitThreadpoolWork(object);
}

struct group_case {
    struct job job;
    PTP_CLEANUP_GROUP group;
    BOOL cancel;
};

static void close_members(void *arg)
{
    struct group_case *c = arg;

    CloseThreadpoolCleanupGroupMembers(c->group, c->cancel, &c->job.cancelled);
}

static void open_gate(void *arg)
{
    EXPECT_OK(SetEvent(((struct group_case *)arg)->job.gate));
}

static void run_group_case(BOOL cancel, int callbacks, int cancelled)
{
    struct group_case c = {.cancel = cancel};
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 1);

    job_init(&c.job);
    c.group = CreateThreadpoolCleanupGroup();
    ASSERT_NE(c.group, NULL);
    fill_group(&c.job, &environment, c.group);
    on_kind(KIND_WORKER, close_members, open_gate, &c);
    EXPECT_EQ(flag_get(&c.job.count), callbacks);
    EXPECT_EQ(flag_get(&c.job.cancelled), cancelled);
    CloseThreadpoolCleanupGroup(c.group);
    CloseThreadpool(pool);
    job_clear(&c.job);
}

TEST(Win32PoolCallbacks, cleanup_group_waits_for_all)
{
    run_group_case(FALSE, 4, 0);
}

TEST(Win32PoolCallbacks, cleanup_group_cancels_what_has_not_begun)
{
    run_group_case(TRUE, 1, 2); /* the second simple callback, and the work */
}

static VOID CALLBACK count_alone(PVOID context, PVOID cleanup_context)
{
    struct job *job = context;

    EXPECT_EQ(flag_get(&job->running), 0);
    EXPECT_EQ(flag_get(&job->count), 1); /* the one that ran is over */
    flag_add(&job->cancelled, 1);
}

TEST(Win32PoolCallbacks, cancelling_waits_for_the_callback_that_runs)
{
    struct group_case c = {.cancel = TRUE};
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 2);
    PTP_WORK object;

    job_init(&c.job);
    c.group = CreateThreadpoolCleanupGroup();
    SetThreadpoolCallbackCleanupGroup(&environment, c.group, count_alone);
    object = CreateThreadpoolWork(job_work, &c.job, &environment);
    SubmitThreadpoolWork(object);
    EXPECT_SIGNALLED(c.job.begun);
    EXPECT_NE(CreateThreadpoolWork(job_work, &c.job, &environment), NULL); /* at rest */
    on_kind(KIND_WORKER, close_members, open_gate, &c);
    EXPECT_EQ(flag_get(&c.job.cancelled), 2);
    CloseThreadpoolCleanupGroup(c.group);
    CloseThreadpool(pool);
    job_clear(&c.job);
}

/* ---- what a callback may ask for ---- */

static VOID CALLBACK release_all(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    struct job *job = context;

    EXPECT_EQ(WaitForSingleObject(job->extra, 0), WAIT_OBJECT_0); /* the mutex */
    EnterCriticalSection(&job->section);
    LeaveCriticalSectionWhenCallbackReturns(instance, &job->section);
    ReleaseMutexWhenCallbackReturns(instance, job->extra);
    ReleaseSemaphoreWhenCallbackReturns(instance, job->gate, 3);
    FreeLibraryWhenCallbackReturns(instance, LoadLibraryA("kernel32.dll"));
    SetEventWhenCallbackReturns(instance, job->begun);
    EXPECT_EQ(WaitForSingleObject(job->begun, 0), WAIT_TIMEOUT);
}

TEST(Win32PoolCallbacks, things_done_when_the_callback_returns)
{
    struct job job = {.begun = new_manual_event(),
                      .gate = CreateSemaphoreA(NULL, 0, 10, NULL),
                      .extra = CreateMutexA(NULL, FALSE, NULL)};
    PTP_WORK object = CreateThreadpoolWork(release_all, &job, NULL);

    ASSERT_NE(object, NULL);
    InitializeCriticalSection(&job.section);
    SubmitThreadpoolWork(object);
    EXPECT_SIGNALLED(job.begun);
    EXPECT_OK(TryEnterCriticalSection(&job.section));
    EXPECT_EQ(WaitForSingleObject(job.extra, 0), WAIT_OBJECT_0); /* not abandoned */
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(WaitForSingleObject(job.gate, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(job.gate, 0), WAIT_TIMEOUT);
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    CloseThreadpoolWork(object);
    LeaveCriticalSection(&job.section);
    DeleteCriticalSection(&job.section);
    EXPECT_OK(ReleaseMutex(job.extra));
    EXPECT_OK(CloseHandle(job.extra));
    job_clear(&job);
}

static VOID CALLBACK say_long(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    struct job *job = context;

    job->count = 1 + CallbackMayRunLong(instance);
}

TEST(Win32PoolCallbacks, may_run_long_says_whether_others_can_go_on)
{
    struct job job = {0};
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 1);
    PTP_WORK lonely = CreateThreadpoolWork(say_long, &job, &environment), other;

    SubmitThreadpoolWork(lonely);
    WaitForThreadpoolWorkCallbacks(lonely, FALSE);
    EXPECT_EQ(job.count, 1);
    CloseThreadpoolWork(lonely);
    CloseThreadpool(pool);
    other = CreateThreadpoolWork(say_long, &job, NULL);
    SubmitThreadpoolWork(other);
    WaitForThreadpoolWorkCallbacks(other, FALSE);
    EXPECT_EQ(job.count, 2);
    CloseThreadpoolWork(other);
}

static VOID CALLBACK dissociate(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    DisassociateCurrentThreadFromCallback(instance);
    do_job(context);
}

TEST(Win32PoolCallbacks, a_dissociated_callback_is_not_waited_for)
{
    struct job job;
    PTP_WORK object = CreateThreadpoolWork(dissociate, &job, NULL);

    job_init(&job);
    SubmitThreadpoolWork(object);
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&job.count), 0); /* the gate is shut */
    CloseThreadpoolWork(object);
    EXPECT_OK(SetEvent(job.gate));
    EXPECT_OK(wait_until(&job.count, MEANWHILE_MS));
    job_clear(&job);
}

static void run_dissociated_group_case(BOOL cancel)
{
    struct group_case c = {.cancel = cancel};
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 2);
    PTP_WORK object;

    job_init(&c.job);
    c.group = CreateThreadpoolCleanupGroup();
    SetThreadpoolCallbackCleanupGroup(&environment, c.group, count_alone);
    object = CreateThreadpoolWork(dissociate, &c.job, &environment);
    SubmitThreadpoolWork(object);
    EXPECT_SIGNALLED(c.job.begun);
    WaitForThreadpoolWorkCallbacks(object, FALSE); /* does not wait for it */
    on_kind(KIND_WORKER, close_members, open_gate, &c);
    EXPECT_EQ(flag_get(&c.job.count), 1); /* closing the group did */
    EXPECT_EQ(flag_get(&c.job.cancelled), cancel);
    CloseThreadpoolCleanupGroup(c.group);
    CloseThreadpool(pool);
    job_clear(&c.job);
}

TEST(Win32PoolCallbacks, a_group_waits_for_a_dissociated_callback)
{
    run_dissociated_group_case(FALSE);
    run_dissociated_group_case(TRUE);
}

static VOID CALLBACK end_thread(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    flag_add(context, 1);
    ExitThread(3);
}

TEST(Win32PoolCallbacks, a_callback_that_ends_its_thread_is_over)
{
    int count = 0;
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 1);
    PTP_WORK object = CreateThreadpoolWork(end_thread, &count, &environment);

    for (int i = 0; i < 5; i++)
        SubmitThreadpoolWork(object);
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&count), 5);
    CloseThreadpoolWork(object);
    CloseThreadpool(pool);
}
