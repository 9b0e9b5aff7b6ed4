/* SPDX-License-Identifier: MIT
 *
 * scheduler_proc.c - what the scheduler entry point gets, and where it runs (SP-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <string.h>
#include <xmmintrin.h>

enum { MAX_CALLS = 64, MXCSR_DEFAULT = 0x1F80, MXCSR_ROUND_UP = 0x5F80 };

struct call {
    UMS_SCHEDULER_REASON reason;
    ULONG_PTR payload;
    PVOID param;
    DWORD id;
    PVOID tls;
    PUMS_CONTEXT self;
    const volatile char *frame;
    unsigned mxcsr;
    int depth; /* SP-8: activations alive at entry, this one not counted */
};

static struct {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT ready[8];
    int ready_count;
    int ends;
    ULONGLONG deadline;
    int count;
    int alive;
    struct call calls[MAX_CALLS];
} log_;
static DWORD slot;

static void take(DWORD timeout)
{
    PUMS_CONTEXT context = NULL;

    EXPECT_OK(DequeueUmsCompletionListItems(log_.list, timeout, &context));
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        if (is_terminated(context))
            log_.ends--;
        else
            log_.ready[log_.ready_count++] = context;
        context = next;
    }
}

static VOID NTAPI logging_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    volatile char here = 0;

    if (log_.count < MAX_CALLS) {
        log_.calls[log_.count] = (struct call){reason,
                                               payload,
                                               param,
                                               GetCurrentThreadId(),
                                               TlsGetValue(slot),
                                               GetCurrentUmsThread(),
                                               &here,
                                               _mm_getcsr(),
                                               log_.alive};
    }
    log_.count++;
    log_.alive++;
    if (reason == UmsSchedulerThreadYield)
        log_.ready[log_.ready_count++] = (PUMS_CONTEXT)payload;
    while (GetTickCount64() < log_.deadline) {
        take(0);
        if (log_.ready_count > 0) {
            PUMS_CONTEXT context = log_.ready[--log_.ready_count];

            log_.alive--;
            bare_execute(context);
            FAIL("execute failed: last error %u", (unsigned)GetLastError());
            return;
        }
        if (log_.ends <= 0)
            break;
        take(20);
    }
    EXPECT_EQ(log_.ends, 0);
    log_.alive--;
}

static bool run(LPTHREAD_START_ROUTINE routine, void *arg, struct bare *worker)
{
    bool ok;

    memset(&log_, 0, sizeof log_);
    log_.ends = 1;
    log_.deadline = GetTickCount64() + 10000;
    slot = TlsAlloc();
    TlsSetValue(slot, &slot);
    ok = TC_OK(CreateUmsCompletionList(&log_.list)) &&
         bare_create(worker, log_.list, routine, arg, 0) &&
         TC_OK(bare_enter(log_.list, logging_proc, &log_)) && TC_CMP(log_.ends, ==, 0);
    EXPECT_EQ(log_.alive, 0);
    TlsFree(slot);
    return ok;
}

static void clean_up(struct bare *worker)
{
    bare_delete(worker);
    EXPECT_OK(DeleteUmsCompletionList(log_.list));
}

TEST(SchedulerProc, startup_arguments_SP_1)
{
    struct bare worker;

    ASSERT_OK(run(routine_return, NULL, &worker));
    EXPECT_EQ(log_.calls[0].reason, UmsSchedulerStartup);
    EXPECT_EQ(log_.calls[0].payload, 0);
    EXPECT_EQ(log_.calls[0].param, &log_);
    clean_up(&worker);
}

TEST(SchedulerProc, end_of_a_worker_is_blocked_SP_10)
{
    struct bare worker;

    ASSERT_OK(run(routine_return, NULL, &worker));
    EXPECT_EQ(log_.count, 2);
    EXPECT_EQ(log_.calls[1].reason, UmsSchedulerThreadBlocked);
    EXPECT_EQ(log_.calls[1].payload & ~1ull, 0);
    EXPECT_EQ(log_.calls[1].param, NULL);
    clean_up(&worker);
}

/* So long that it is under way when the scheduler runs, also beside busy programs. */
static DWORD WINAPI sleep_long(LPVOID param)
{
    (void)param;
    Sleep(150);
    return 0;
}

TEST(SchedulerProc, blocked_arguments_SP_2)
{
    struct bare worker;
    int real = 0;

    ASSERT_OK(run(sleep_long, NULL, &worker));
    for (int i = 1; i < log_.count && i < MAX_CALLS; i++) {
        EXPECT_EQ(log_.calls[i].reason, UmsSchedulerThreadBlocked);
        EXPECT_EQ(log_.calls[i].param, NULL);
        EXPECT_EQ(log_.calls[i].payload & ~1ull, 0);
        real += log_.calls[i].payload & 1;
    }
    EXPECT_GE(real, 1);
    clean_up(&worker);
}

TEST(SchedulerProc, yield_arguments_SP_3)
{
    struct bare worker;

    ASSERT_OK(run(routine_yield_once, (void *)0xfeedfacecafebeefull, &worker));
    EXPECT_EQ(log_.calls[1].reason, UmsSchedulerThreadYield);
    EXPECT_EQ(log_.calls[1].payload, worker.context);
    EXPECT_EQ(log_.calls[1].param, 0xfeedfacecafebeefull);
    clean_up(&worker);
}

static DWORD WINAPI mixed(LPVOID param)
{
    (void)param;
    TlsSetValue(slot, &log_);
    for (int i = 0; i < 20; i++)
        if (i % 5 == 4)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(NULL));
    return 0;
}

TEST(SchedulerProc, runs_with_the_scheduler_threads_identity_SP_5)
{
    struct bare worker;

    ASSERT_OK(run(mixed, NULL, &worker));
    /* The start, 16 yields, the end, and the sleeps that were not over at once. */
    EXPECT_GE(log_.count, 18);
    for (int i = 0; i < log_.count && i < MAX_CALLS; i++) {
        EXPECT_EQ(log_.calls[i].id, GetCurrentThreadId());
        EXPECT_EQ(log_.calls[i].tls, &slot);
        EXPECT_NE(log_.calls[i].self, NULL);
        EXPECT_EQ(log_.calls[i].self, log_.calls[0].self);
    }
    clean_up(&worker);
}

TEST(SchedulerProc, same_stack_position_every_time_SP_6)
{
    struct bare worker;

    ASSERT_OK(run(mixed, NULL, &worker));
    for (int i = 2; i < log_.count && i < MAX_CALLS; i++)
        EXPECT_EQ(log_.calls[i].frame, log_.calls[1].frame);
    clean_up(&worker);
}

TEST(SchedulerProc, is_never_nested_SP_8)
{
    struct bare worker;

    ASSERT_OK(run(mixed, NULL, &worker));
    for (int i = 0; i < log_.count && i < MAX_CALLS; i++)
        EXPECT_EQ(log_.calls[i].depth, 0);
    clean_up(&worker);
}

static DWORD WINAPI round_up(LPVOID param)
{
    bool block = param != NULL;

    for (int i = 0; i < 3; i++) {
        _mm_setcsr(MXCSR_ROUND_UP);
        if (block)
            Sleep(2);
        else
            UmsThreadYield(NULL);
        EXPECT_EQ(_mm_getcsr() & ~0x3fu, MXCSR_ROUND_UP); /* EX-14; the low bits are flags */
    }
    return 0;
}

TEST(SchedulerProc, blocked_starts_with_default_mxcsr_SP_7_EX_14)
{
    struct bare worker;

    ASSERT_OK(run(round_up, &worker, &worker));
    for (int i = 1; i < log_.count && i < MAX_CALLS; i++)
        EXPECT_EQ(log_.calls[i].mxcsr & ~0x3fu, MXCSR_DEFAULT);
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, MXCSR_DEFAULT);
    clean_up(&worker);
}

TEST(SchedulerProc, worker_keeps_its_mxcsr_over_a_yield_EX_14)
{
    struct bare worker;

    ASSERT_OK(run(round_up, NULL, &worker));
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, MXCSR_DEFAULT);
    clean_up(&worker);
}

/* ---- SP-12: the entry point may wait ---- */

static HANDLE outside;

static VOID NTAPI waiting_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    if (reason == UmsSchedulerStartup) {
        EXPECT_EQ(WaitForSingleObject(outside, 5000), WAIT_OBJECT_0);
        Sleep(1);
        bare_execute(param);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

static DWORD WINAPI set_outside(LPVOID param)
{
    (void)param;
    EXPECT_OK(SetEvent(outside));
    return 0;
}

TEST(SchedulerProc, may_wait_SP_12)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;
    HANDLE thread;

    outside = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_return, NULL));
    thread = CreateThread(NULL, 0, set_outside, NULL, 0, NULL);
    EXPECT_OK(bare_enter(list, waiting_proc, worker.context));
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    bare_delete(&worker);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(outside));
    EXPECT_OK(DeleteUmsCompletionList(list));
}
