/* SPDX-License-Identifier: MIT
 *
 * waits.c - events, delays, time-outs, yields: which worker makes which one runnable, and when.
 */
#include "task_end.h"

static SOS_EVENT s_event, s_other;
static volatile LONG s_order, s_ready;

static void start(int schedulers)
{
    SOS_CONFIG config = {.schedulers = schedulers, .nodes = 1};

    s_ready = s_order = 0;
    EXPECT_OK(SosStart(&config));
}

static void await_ready(LONG count)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    while (s_ready < count && GetTickCount64() < limit)
        Sleep(1);
    ASSERT_GE(s_ready, count);
}

static DWORD wait_for_event(PVOID timeout)
{
    InterlockedIncrement(&s_ready);
    return SosEventWait(&s_event, (DWORD)(ULONG_PTR)timeout, SOS_WAIT_LOCK);
}

static PVOID ms(DWORD milliseconds)
{
    return (PVOID)(ULONG_PTR)milliseconds;
}

TEST(SqlosWaits, an_auto_event_lets_one_go_or_is_remembered)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;
    SOS_TASK *first, *second;

    start(2);
    SosEventInit(&s_event, FALSE, FALSE);
    SosEventSignal(&s_event);
    finish(SosSubmit(0, wait_for_event, ms(0)), SOS_OK);
    finish(SosSubmit(0, wait_for_event, ms(0)), SOS_TIMEOUT);
    s_ready = 0;
    first = SosSubmit(0, wait_for_event, ms(INFINITE));
    second = SosSubmit(1, wait_for_event, ms(INFINITE));
    await_ready(2);
    SosEventSignal(&s_event);
    while (g_sos.liveTasks > 1 && GetTickCount64() < limit)
        Sleep(1);
    Sleep(20);                     /* for a second one to go wrongly */
    EXPECT_EQ(g_sos.liveTasks, 1); /* one went, one waits */
    SosEventSignal(&s_event);
    finish(first, SOS_OK);
    finish(second, SOS_OK);
    EXPECT_OK(SosStop(LIMIT_MS));
}

TEST(SqlosWaits, a_manual_event_lets_all_go_until_its_reset)
{
    SOS_TASK *tasks[6];

    start(2);
    SosEventInit(&s_event, TRUE, FALSE);
    for (int i = 0; i < 6; i++)
        tasks[i] = SosSubmit(i % 2, wait_for_event, ms(INFINITE));
    await_ready(6);
    SosEventSignal(&s_event);
    for (int i = 0; i < 6; i++)
        finish(tasks[i], SOS_OK);
    finish(SosSubmit(1, wait_for_event, ms(0)), SOS_OK);
    SosEventReset(&s_event);
    finish(SosSubmit(1, wait_for_event, ms(0)), SOS_TIMEOUT);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD stand_on_both_lists(PVOID argument)
{
    LONGLONG begin = Now();
    SOS_STATUS status = SosEventWait(&s_event, 30, SOS_WAIT_LOCK);
    SOS_SCHEDULER *self = CurrentWorker()->scheduler;

    EXPECT_EQ(status, SOS_TIMEOUT);
    EXPECT_GE((int)InMs(Now() - begin), 29);
    EXPECT_OK(ListEmpty(&s_event.resource.waiters)); /* the scheduler has taken us off both lists */
    EXPECT_EQ(self->timerCount, 0);
    s_ready = 1;
    status = SosEventWait(&s_event, LIMIT_MS, SOS_WAIT_LOCK);
    EXPECT_EQ(status, SOS_OK);
    EXPECT_EQ(self->timerCount, 0); /* and here off the timer list */
    return 0;
}

/* At the wait that is too long to be over before it is looked at, however busy the machine is. */
static DWORD look_then_signal(PVOID argument)
{
    SOS_SCHEDULER *self = CurrentWorker()->scheduler;
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    while ((s_ready < 1 || ListEmpty(&s_event.resource.waiters) || self->timerCount != 1) &&
           GetTickCount64() < limit)
        SosYield();
    EXPECT_OK(!ListEmpty(&s_event.resource.waiters));
    EXPECT_EQ(self->timerCount, 1);
    SosEventSignal(&s_event);
    EXPECT_OK(ListEmpty(&s_event.resource.waiters));
    return 0;
}

TEST(SqlosWaits, a_wait_with_a_time_out_stands_on_both_lists)
{
    SOS_WAIT_STATS stats;
    SOS_TASK *waiter, *looker;

    start(1);
    SosEventInit(&s_event, FALSE, FALSE);
    waiter = SosSubmit(0, stand_on_both_lists, NULL);
    looker = SosSubmit(0, look_then_signal, NULL);
    finish(waiter, 0);
    finish(looker, 0);
    SosWaitStats(SOS_WAIT_LOCK, &stats);
    EXPECT_EQ(stats.waits, 2);
    EXPECT_EQ(stats.timeouts, 1);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static LONGLONG s_expired[4]; /* deadlines, in the order in which their tasks came back */

static DWORD sleep_then_note(PVOID argument)
{
    EXPECT_EQ(SosDelay((DWORD)(ULONG_PTR)argument), SOS_OK);
    s_expired[s_order] = CurrentWorker()->deadline;
    EXPECT_GE(Now(), s_expired[s_order]);
    s_order++;
    return 0;
}

/* By deadline: on a busy machine the shorter delay may begin when the longer one is over. */
TEST(SqlosWaits, timers_expire_in_order_whatever_order_they_came_in)
{
    static const DWORD delays[] = {60, 20, 80, 40};
    SOS_TASK *tasks[4];

    start(1);
    s_order = 0;
    for (int i = 0; i < 4; i++)
        tasks[i] = SosSubmit(0, sleep_then_note, ms(delays[i]));
    for (int i = 0; i < 4; i++)
        finish(tasks[i], 0);
    EXPECT_EQ(s_order, 4);
    for (int i = 1; i < 4; i++)
        EXPECT_GE(s_expired[i], s_expired[i - 1]);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD hold_then_signal(PVOID argument)
{
    LONGLONG until, signalled;

    while (ListEmpty(&s_event.resource.waiters))
        SosYield();
    until = Now() + 60 * g_sos.ticksPerSecond / 1000;
    while (Now() < until)
        YieldProcessor(); /* the waiter's resource wait, and an overrun of the quantum */
    SosEventSignal(&s_event);
    for (signalled = Now(); Now() < signalled + 40 * g_sos.ticksPerSecond / 1000;)
        YieldProcessor(); /* its signal wait: it is runnable, and we run */
    return 0;
}

TEST(SqlosWaits, resource_wait_and_signal_wait_are_told_apart)
{
    SOS_WAIT_STATS stats;
    SOS_SCHEDULER_STATS scheduler;
    SOS_TASK *waiter, *holder;

    start(1);
    SosEventInit(&s_event, FALSE, FALSE);
    waiter = SosSubmit(0, wait_for_event, ms(INFINITE));
    holder = SosSubmit(0, hold_then_signal, NULL);
    finish(waiter, SOS_OK);
    finish(holder, 0);
    SosWaitStats(SOS_WAIT_LOCK, &stats);
    EXPECT_EQ(stats.waits, 1);
    EXPECT_THAT(stats.resourceMs > 30 && stats.signalMs >= 40, "resource %f ms, signal %f ms",
                stats.resourceMs, stats.signalMs);
    SosSchedulerStats(0, &scheduler);
    EXPECT_GE(scheduler.overruns, 1);
    EXPECT_THAT(scheduler.maxOverrunMs > 30, "the longest overrun was %f ms",
                scheduler.maxOverrunMs);
    EXPECT_OK(SosStop(LIMIT_MS));
}

enum { TURNS = 10 };

/* Takes turns until both have had enough; with few processors that takes its time. */
static DWORD share(PVOID argument)
{
    volatile LONG *turns = (volatile LONG *)argument;
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;
    SOS_SCHEDULER *self = CurrentWorker()->scheduler;
    LONGLONG switches = self->switches;

    InterlockedIncrement(&s_ready);
    while ((s_ready < 2 || *turns < TURNS) && GetTickCount64() < limit) {
        SosYieldCheck();
        if (self->switches != switches) {
            switches = self->switches;
            InterlockedIncrement(turns);
        }
    }
    return (DWORD)*turns;
}

TEST(SqlosWaits, the_yield_check_shares_the_scheduler_by_quanta)
{
    volatile LONG turns[2] = {0, 0};
    SOS_WAIT_STATS stats;
    SOS_TASK *first, *second;
    LONGLONG begin;
    double elapsed;

    start(1);
    begin = Now();
    first = SosSubmit(0, share, (PVOID)&turns[0]);
    second = SosSubmit(0, share, (PVOID)&turns[1]);
    EXPECT_EQ(SosTaskWait(first, LIMIT_MS, NULL), SOS_OK);
    EXPECT_EQ(SosTaskWait(second, LIMIT_MS, NULL), SOS_OK);
    elapsed = InMs(Now() - begin);
    EXPECT_OK(turns[0] >= TURNS && turns[1] >= TURNS);
    /* No turn is shorter than a quantum of 4 ms. */
    EXPECT_THAT((turns[0] + turns[1] - 2) * 4 <= elapsed, "%d and %d turns in %f ms", (int)turns[0],
                (int)turns[1], elapsed);
    SosTaskRelease(first);
    SosTaskRelease(second);
    SosWaitStats(SOS_WAIT_SCHEDULER_YIELD, &stats);
    EXPECT_GE(stats.waits, turns[0] + turns[1]);
    EXPECT_THAT(stats.resourceMs == 0, "a yield waits for no resource, not %f ms",
                stats.resourceMs);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* Each takes two turns of the processors, milliseconds on a busy machine. */
enum { ROUNDS = 500 };

static DWORD signal_other(PVOID argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (SosEventWait(&s_event, LIMIT_MS, SOS_WAIT_EVENT) != SOS_OK)
            return 1;
        SosEventSignal(&s_other);
    }
    return 0;
}

static DWORD answer(PVOID argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        SosEventSignal(&s_event);
        if (SosEventWait(&s_other, LIMIT_MS, SOS_WAIT_EVENT) != SOS_OK)
            return 1;
    }
    return 0;
}

TEST(SqlosWaits, two_schedulers_signal_each_other_and_no_signal_is_lost)
{
    SOS_TASK *left, *right;

    start(2);
    SosEventInit(&s_event, FALSE, FALSE);
    SosEventInit(&s_other, FALSE, FALSE);
    left = SosSubmit(0, signal_other, NULL);
    right = SosSubmit(1, answer, NULL);
    finish(left, 0);
    finish(right, 0);
    EXPECT_OK(SosStop(LIMIT_MS));
}
