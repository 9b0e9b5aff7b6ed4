/* SPDX-License-Identifier: MIT
 *
 * yield.c - UmsThreadYield (YD-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <string.h>

static PUMS_COMPLETION_LIST list;
static HANDLE event;
static struct bare worker;
static struct {
    int yields;
    PUMS_CONTEXT payload;
    PVOID param;
    PUMS_CONTEXT queued; /* what a dequeue right after the yield found */
    DWORD signalled;
} seen;

static VOID NTAPI look_after_yield(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT context = worker.context;

    if (reason == UmsSchedulerThreadBlocked)
        return; /* its end */
    if (reason == UmsSchedulerThreadYield) {
        seen.yields++;
        seen.payload = context = (PUMS_CONTEXT)payload;
        seen.param = param;
        seen.signalled = WaitForSingleObject(event, 0);
        EXPECT_OK(DequeueUmsCompletionListItems(list, 0, &seen.queued));
    }
    bare_execute(context);
    FAIL("execute failed: last error %u", (unsigned)GetLastError());
}

static bool set_up(LPTHREAD_START_ROUTINE routine, void *arg)
{
    memset(&seen, 0, sizeof seen);
    if (!TC_OK(CreateUmsCompletionList(&list)) || !TC_OK(GetUmsCompletionListEvent(list, &event)) ||
        !bare_create_arrived(&worker, list, routine, arg))
        return false;
    WaitForSingleObject(event, 0); /* the first arrival's signal */
    return true;
}

static void finish(void)
{
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void passes(void *param)
{
    ASSERT_OK(set_up(routine_yield_once, param));
    EXPECT_OK(bare_enter(list, look_after_yield, NULL));
    EXPECT_EQ(seen.yields, 1);
    EXPECT_EQ(seen.payload, worker.context);
    EXPECT_EQ(seen.param, param);
    finish();
}

TEST(Yield, passes_any_parameter_YD_1_YD_2)
{
    passes(NULL);
    passes(&seen);
    passes((void *)passes);
    passes((void *)~0ull);
    passes((void *)1);
}

TEST(Yield, queues_nothing_and_signals_nothing_YD_3_DQ_11)
{
    ASSERT_OK(set_up(routine_yield_once, NULL));
    EXPECT_OK(bare_enter(list, look_after_yield, NULL));
    EXPECT_EQ(seen.yields, 1);
    EXPECT_EQ(seen.queued, NULL);
    EXPECT_EQ(seen.signalled, WAIT_TIMEOUT);
    finish();
}

static DWORD WINAPI yield_many(LPVOID param)
{
    for (int i = 0; i < 1000; i++)
        EXPECT_OK(UmsThreadYield(param));
    return 0;
}

TEST(Yield, executed_again_inside_the_activation_YD_6)
{
    ASSERT_OK(set_up(yield_many, &list));
    EXPECT_OK(bare_enter(list, look_after_yield, NULL));
    EXPECT_EQ(seen.yields, 1000);
    finish();
}

/* YD-7: between two yields the worker makes a call that does not block. */
static DWORD WINAPI yield_and_call(LPVOID param)
{
    HANDLE own = CreateEventA(NULL, FALSE, FALSE, NULL);

    (void)param;
    for (int i = 0; i < 100; i++) {
        EXPECT_OK(SetEvent(own));
        EXPECT_EQ(WaitForSingleObject(own, 0), WAIT_OBJECT_0);
        EXPECT_OK(UmsThreadYield(NULL));
    }
    EXPECT_OK(CloseHandle(own));
    return 0;
}

TEST(Yield, after_calls_that_do_not_block_YD_7)
{
    ASSERT_OK(set_up(yield_and_call, NULL));
    EXPECT_OK(bare_enter(list, look_after_yield, NULL));
    EXPECT_EQ(seen.yields, 100);
    finish();
}

static VOID NTAPI yield_in_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    EXPECT_FAILS(UmsThreadYield(param), ERROR_INVALID_PARAMETER);
}

TEST(Yield, from_a_scheduler_YD_4)
{
    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, yield_in_proc, NULL));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Yield, from_a_plain_thread_YD_5)
{
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
}

TEST(Yield, from_a_plain_thread_that_was_a_scheduler_YD_5)
{
    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, yield_in_proc, NULL));
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- the worker's stack stays intact while the callback runs ---- */

static VOID NTAPI read_stack(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadYield) {
        volatile int *values = param;
        volatile char scratch[2048]; /* must not be taken from the worker's stack */

        for (size_t i = 0; i < sizeof scratch; i++)
            scratch[i] = (char)i;
        for (int i = 0; i < 256; i++) {
            EXPECT_EQ(values[i], i);
            values[i] = -i;
        }
        seen.yields++;
    }
    if (reason != UmsSchedulerThreadBlocked) {
        bare_execute(reason == UmsSchedulerStartup ? worker.context : (PUMS_CONTEXT)payload);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

static DWORD WINAPI lend_stack(LPVOID param)
{
    volatile int values[256];

    (void)param;
    for (int i = 0; i < 256; i++)
        values[i] = i;
    EXPECT_OK(UmsThreadYield((void *)values));
    for (int i = 0; i < 256; i++)
        EXPECT_EQ(values[i], -i);
    return 0;
}

TEST(Yield, parameter_on_the_workers_stack)
{
    ASSERT_OK(set_up(lend_stack, NULL));
    EXPECT_OK(bare_enter(list, read_stack, NULL));
    EXPECT_EQ(seen.yields, 1);
    finish();
}

/* ---- YD-8 ---- */

/* Pinned a yield is two switches of kernel threads: a million of them take 34 s where a system call takes 1 us. */
enum { STORM = 500000, STORM_PINNED = 20000 };

static int storm_length(void)
{
    return is_set("UMSSHIM_SWITCH", "pinned") ? STORM_PINNED : STORM;
}

static void storm(struct worker *self)
{
    int *counter = self->arg, length = storm_length();

    for (int i = 0; i < length; i++) {
        ++*counter;
        if (!UmsThreadYield(NULL)) {
            FAIL("yield %d failed: last error %u", i, (unsigned)GetLastError());
            return;
        }
    }
}

TEST(Yield, a_million_of_two_workers_YD_8)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    int counters[2] = {0, 0};

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 50000);
    for (int i = 0; i < 2; i++)
        fleet_add(fleet, storm, &counters[i]);
    ASSERT_OK(fleet_run(fleet)); /* counts what came and went, and checks the stack position */
    EXPECT_EQ(counters[0], storm_length());
    EXPECT_EQ(counters[1], storm_length());
    EXPECT_EQ(fleet_counts(fleet).yields, 2 * storm_length());
    fleet_destroy(fleet);
}
