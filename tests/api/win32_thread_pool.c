/* SPDX-License-Identifier: MIT
 *
 * win32_thread_pool.c - work, simple callbacks, pools and cleanup groups of the thread pool.
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "meanwhile.h"

/* What the callbacks here count and wait for. */
struct job {
    HANDLE begun;   /* manual: set by each callback */
    HANDLE gate;    /* manual: what callbacks wait for; NULL: they do not */
    HANDLE extra;   /* what the test at hand needs */
    int count;      /* callbacks that returned */
    int running, most;
    int cancelled;
    CRITICAL_SECTION section;
};

static void job_init(struct job *job)
{
    *job = (struct job){.begun = new_manual_event(), .gate = new_manual_event()};
}

static void job_clear(struct job *job)
{
    EXPECT_OK(CloseHandle(job->begun));
    EXPECT_OK(CloseHandle(job->gate));
}

static void do_job(struct job *job)
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

static VOID CALLBACK work(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    EXPECT_NE(instance, NULL);
    EXPECT_NE(self, NULL);
    do_job(context);
}

static VOID CALLBACK simple(PTP_CALLBACK_INSTANCE instance, PVOID context)
{
    EXPECT_NE(instance, NULL);
    do_job(context);
}

static DWORD WINAPI item(LPVOID context)
{
    do_job(context);
    return 0;
}

/* An environment with a pool of at most this many threads. */
static PTP_POOL small_pool(TP_CALLBACK_ENVIRON *environment, DWORD most)
{
    PTP_POOL pool = CreateThreadpool(NULL);

    EXPECT_NE(pool, NULL);
    SetThreadpoolThreadMaximum(pool, most);
    InitializeThreadpoolEnvironment(environment);
    SetThreadpoolCallbackPool(environment, pool);
    return pool;
}

TEST(Win32ThreadPool, each_submission_is_one_callback)
{
    struct job job;
    PTP_WORK object;

    job_init(&job);
    EXPECT_OK(SetEvent(job.gate));
    object = CreateThreadpoolWork(work, &job, NULL);
    ASSERT_NE(object, NULL);
    WaitForThreadpoolWorkCallbacks(object, FALSE); /* nothing to wait for */
    for (int i = 0; i < 1000; i++) {
        SubmitThreadpoolWork(object);
    }
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&job.count), 1000);
    CloseThreadpoolWork(object);
    job_clear(&job);
}

TEST(Win32ThreadPool, bad_arguments)
{
    TP_CALLBACK_ENVIRON unknown = {.Version = 77};

    EXPECT_FAILS(CreateThreadpoolWork(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateThreadpoolWork(work, NULL, &unknown), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TrySubmitThreadpoolCallback(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TrySubmitThreadpoolCallback(simple, NULL, &unknown), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueueUserWorkItem(NULL, NULL, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateThreadpool(&unknown), ERROR_INVALID_PARAMETER);
}

enum { TOGETHER = 40 };

static VOID CALLBACK meet(PTP_CALLBACK_INSTANCE instance, PVOID context)
{
    struct job *job = context;

    (void)instance;
    if (flag_add(&job->running, 1) == TOGETHER) {
        EXPECT_OK(SetEvent(job->gate));
    }
    EXPECT_SIGNALLED(job->gate);
    if (flag_add(&job->count, 1) == TOGETHER) {
        EXPECT_OK(SetEvent(job->begun));
    }
}

/* More than there are processors, and none can end before the last has begun. */
TEST(Win32ThreadPool, callbacks_that_wait_for_each_other_get_their_threads)
{
    struct job job;

    job_init(&job);
    for (int i = 0; i < TOGETHER; i++) {
        EXPECT_OK(TrySubmitThreadpoolCallback(meet, &job, NULL));
    }
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
    first = CreateThreadpoolWork(work, &job, &environment);
    second = CreateThreadpoolWork(work, &job, &environment);
    ASSERT_OK(first && second);
    for (int i = 0; i < 10; i++) {
        SubmitThreadpoolWork(first);
    }
    EXPECT_SIGNALLED(job.begun);
    for (int i = 0; i < 10; i++) {
        SubmitThreadpoolWork(second);
    }
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
    object = CreateThreadpoolWork(work, &job, &environment);
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
        EXPECT_OK(QueueUserWorkItem(item, &jobs[i], flags[i]));
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_SIGNALLED(jobs[i].begun);
        EXPECT_EQ(flag_get(&jobs[i].count), 0);
        EXPECT_OK(SetEvent(jobs[i].gate));
        EXPECT_OK(wait_until(&jobs[i].count, MEANWHILE_MS));
        job_clear(&jobs[i]);
    }
}

/* ---- cleanup groups ---- */

static VOID CALLBACK count_cancelled(PVOID context, PVOID cleanup_context)
{
    struct job *job = context;

    EXPECT_EQ(cleanup_context, &job->cancelled);
    flag_add(&job->cancelled, 1);
}

static void fill_group(struct job *job, TP_CALLBACK_ENVIRON *environment, PTP_CLEANUP_GROUP group)
{
    PTP_WORK object;

    SetThreadpoolCallbackCleanupGroup(environment, group, count_cancelled);
    EXPECT_OK(TrySubmitThreadpoolCallback(simple, job, environment));
    EXPECT_SIGNALLED(job->begun); /* the pool's one thread is taken */
    EXPECT_OK(TrySubmitThreadpoolCallback(simple, job, environment));
    object = CreateThreadpoolWork(work, job, environment);
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
    wait_in_worker(close_members, open_gate, &c);
    EXPECT_EQ(flag_get(&c.job.count), callbacks);
    EXPECT_EQ(flag_get(&c.job.cancelled), cancelled);
    CloseThreadpoolCleanupGroup(c.group);
    CloseThreadpool(pool);
    job_clear(&c.job);
}

TEST(Win32ThreadPool, cleanup_group_waits_for_all)
{
    run_group_case(FALSE, 4, 0);
}

TEST(Win32ThreadPool, cleanup_group_cancels_what_has_not_begun)
{
    run_group_case(TRUE, 1, 2); /* the second simple callback, and the work */
}

/* ---- what a callback may ask for ---- */

static VOID CALLBACK release_everything(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    struct job *job = context;

    (void)self;
    EXPECT_EQ(WaitForSingleObject(job->extra, 0), WAIT_OBJECT_0); /* the mutex */
    EnterCriticalSection(&job->section);
    LeaveCriticalSectionWhenCallbackReturns(instance, &job->section);
    ReleaseMutexWhenCallbackReturns(instance, job->extra);
    ReleaseSemaphoreWhenCallbackReturns(instance, job->gate, 3);
    SetEventWhenCallbackReturns(instance, job->begun);
    EXPECT_EQ(WaitForSingleObject(job->begun, 0), WAIT_TIMEOUT);
}

TEST(Win32ThreadPool, things_done_when_the_callback_returns)
{
    struct job job = {.begun = new_manual_event(),
                      .gate = CreateSemaphoreA(NULL, 0, 10, NULL),
                      .extra = CreateMutexA(NULL, FALSE, NULL)};
    PTP_WORK object = CreateThreadpoolWork(release_everything, &job, NULL);

    ASSERT_NE(object, NULL);
    InitializeCriticalSection(&job.section);
    SubmitThreadpoolWork(object);
    EXPECT_SIGNALLED(job.begun);
    EXPECT_OK(TryEnterCriticalSection(&job.section));
    EXPECT_EQ(WaitForSingleObject(job.extra, 0), WAIT_OBJECT_0); /* not abandoned */
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(WaitForSingleObject(job.gate, 0), WAIT_OBJECT_0);
    }
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

    (void)self;
    job->count = 1 + CallbackMayRunLong(instance);
}

TEST(Win32ThreadPool, may_run_long_says_whether_others_can_go_on)
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
    (void)self;
    DisassociateCurrentThreadFromCallback(instance);
    do_job(context);
}

TEST(Win32ThreadPool, a_dissociated_callback_is_not_waited_for)
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

static VOID CALLBACK end_thread(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    (void)instance, (void)self;
    flag_add(context, 1);
    ExitThread(3);
}

TEST(Win32ThreadPool, a_callback_that_ends_its_thread_is_over)
{
    int count = 0;
    TP_CALLBACK_ENVIRON environment;
    PTP_POOL pool = small_pool(&environment, 1);
    PTP_WORK object = CreateThreadpoolWork(end_thread, &count, &environment);

    for (int i = 0; i < 5; i++) {
        SubmitThreadpoolWork(object);
    }
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&count), 5);
    CloseThreadpoolWork(object);
    CloseThreadpool(pool);
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

static void run_work_case(void (*where)(meanwhile_step, meanwhile_step, void *))
{
    struct work_case c;

    job_init(&c.job);
    c.object = CreateThreadpoolWork(work, &c.job, NULL);
    ASSERT_NE(c.object, NULL);
    where(submit_and_wait, open_work, &c);
    EXPECT_EQ(flag_get(&c.job.count), 1);
    CloseThreadpoolWork(c.object);
    job_clear(&c.job);
}

TEST(Win32ThreadPool, submitted_and_waited_for_by_a_worker_BL_1)
{
    run_work_case(wait_in_worker);
}

TEST(Win32ThreadPool, submitted_and_waited_for_by_a_scheduler)
{
    run_work_case(wait_in_scheduler);
}

TEST(Win32ThreadPool, submitted_and_waited_for_by_a_plain_thread)
{
    run_work_case(wait_in_thread);
}

static void sleep_in_worker(struct worker *self)
{
    Sleep(1);
    flag_add(self->arg, 1);
}

static VOID CALLBACK schedule(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WORK self)
{
    struct fleet *fleet = fleet_create(1, 4, 0);

    (void)instance, (void)self;
    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 4; i++) {
        fleet_add(fleet, sleep_in_worker, context);
    }
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

TEST(Win32ThreadPool, a_callback_may_be_a_scheduler)
{
    int count = 0;
    PTP_WORK object = CreateThreadpoolWork(schedule, &count, NULL);

    for (int i = 0; i < 3; i++) {
        SubmitThreadpoolWork(object);
    }
    WaitForThreadpoolWorkCallbacks(object, FALSE);
    EXPECT_EQ(flag_get(&count), 12);
    CloseThreadpoolWork(object);
}
