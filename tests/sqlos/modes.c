/* SPDX-License-Identifier: MIT
 *
 * modes.c - the same layer, whatever its workers are: UMS threads, kernel threads, fibers.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

enum { LIMIT_MS = 15000, TASKS = 12, ROUNDS = 12 };

static const SOS_MODE s_modes[] = {SOS_MODE_UMS, SOS_MODE_THREADS, SOS_MODE_FIBERS};

static SOS_EVENT s_gate;
static SOS_FAIR_MUTEX s_mutex;
static DWORD s_threads[TASKS];
static volatile LONG s_entered, s_passed, s_inside;
static LONG s_total;

static void start(SOS_MODE mode, int schedulers, int workers)
{
    SOS_CONFIG config = {.mode = mode, .schedulers = schedulers, .maxWorkers = workers};

    s_entered = s_passed = s_inside = s_total = 0;
    ASSERT_THAT(SosStart(&config), "mode %s: error %lu", SosModeName(mode),
                (unsigned long)GetLastError());
    EXPECT_EQ(SosMode(), mode);
}

static void finish(SOS_TASK *task, SOS_STATUS wanted)
{
    ASSERT_OK(task);
    EXPECT_EQ(SosTaskWait(task, LIMIT_MS, NULL), wanted);
    SosTaskRelease(task);
}

/* ---- What workers are ------------------------------------------------------------------------ */

static DWORD wait_at_the_gate(PVOID argument)
{
    s_threads[s_entered++] = GetCurrentThreadId();
    UNREFERENCED_PARAMETER(argument);
    EXPECT_EQ(SosEventWait(&s_gate, LIMIT_MS, SOS_WAIT_EVENT), SOS_OK);
    s_passed++;
    return 0;
}

static DWORD open_the_gate(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    while (s_entered < TASKS)
        SosYield();
    EXPECT_EQ(s_passed, 0);
    SosEventSignal(&s_gate);
    return 0;
}

static int different(const DWORD *ids, int count)
{
    int found = 0;

    for (int i = 0; i < count; i++) {
        int k = 0;

        while (k < i && ids[k] != ids[i])
            k++;
        found += k == i;
    }
    return found;
}

/* All wait at once, so each has a worker of its own. */
TEST(SqlosModes, workers_are_threads_or_fibers_of_one)
{
    for (int i = 0; i < 3; i++) {
        SOS_TASK *tasks[TASKS + 1];

        start(s_modes[i], 1, TASKS + 1);
        SosEventInit(&s_gate, TRUE, FALSE);
        for (int k = 0; k < TASKS; k++)
            tasks[k] = SosSubmit(0, wait_at_the_gate, NULL);
        tasks[TASKS] = SosSubmit(0, open_the_gate, NULL);
        for (int k = 0; k <= TASKS; k++)
            finish(tasks[k], SOS_OK);
        EXPECT_EQ(s_passed, TASKS);
        EXPECT_EQ(different(s_threads, TASKS), s_modes[i] == SOS_MODE_FIBERS ? 1 : TASKS);
        EXPECT_OK(SosStop(LIMIT_MS));
        EXPECT_EQ(SosMode(), SOS_MODE_DEFAULT);
    }
}

/* ---- All kinds of waits ---------------------------------------------------------------------- */

static DWORD a_bit_of_everything(PVOID argument)
{
    LONG number = (LONG)(ULONG_PTR)argument;
    SOS_EVENT never;

    SosEventInit(&never, FALSE, FALSE);
    for (int i = 0; i < ROUNDS; i++) {
        SosFairAcquire(&s_mutex);
        if (InterlockedIncrement(&s_inside) != 1)
            return 1;
        s_total++;
        if (i % 8 == number % 8)
            SosDelay(1); /* with the mutex held */
        InterlockedDecrement(&s_inside);
        SosFairRelease(&s_mutex);
        switch ((i + number) % 4) {
        case 0:
            if (SosEventWait(&never, 1, SOS_WAIT_EVENT) != SOS_TIMEOUT)
                return 2;
            break;
        case 1:
            SosLeaveScheduler();
            Sleep(0);
            SosReturnToScheduler();
            break;
        case 2:
            SosYield();
            break;
        default:
            SosYieldCheck();
            break;
        }
    }
    return 0;
}

static DWORD wait_to_be_aborted(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    return SosDelay(INFINITE) == SOS_ABORTED ? 0 : 3;
}

TEST(SqlosModes, every_wait_on_two_schedulers)
{
    for (int i = 0; i < 3; i++) {
        SOS_TASK *tasks[TASKS], *endless;
        DWORD result = ~0u;

        start(s_modes[i], 2, 8);
        SosFairInit(&s_mutex);
        endless = SosSubmit(1, wait_to_be_aborted, NULL);
        for (int k = 0; k < TASKS; k++)
            tasks[k] = SosSubmit(k % 2, a_bit_of_everything, (PVOID)(ULONG_PTR)k);
        for (int k = 0; k < TASKS; k++) {
            ASSERT_OK(tasks[k]);
            EXPECT_EQ(SosTaskWait(tasks[k], LIMIT_MS, &result), SOS_OK);
            EXPECT_EQ(result, 0);
            SosTaskRelease(tasks[k]);
        }
        EXPECT_EQ(s_total, TASKS * ROUNDS);
        ASSERT_OK(endless);
        SosTaskAbort(endless);
        EXPECT_EQ(SosTaskWait(endless, LIMIT_MS, &result), SOS_OK);
        EXPECT_EQ(result, 0);
        SosTaskRelease(endless);
        EXPECT_OK(SosStop(LIMIT_MS));
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

TEST(SqlosModes, have_names)
{
    SOS_CONFIG config = {.schedulers = 1};
    SOS_MODE mode = SOS_MODE_DEFAULT;

    for (int i = 0; i < 3; i++) {
        EXPECT_THAT(SosModeNamed(SosModeName(s_modes[i]), &mode) && mode == s_modes[i],
                    "mode %d is called %s", (int)s_modes[i], SosModeName(s_modes[i]));
        EXPECT_OK(SetEnvironmentVariableA("SQLOS_MODE", SosModeName(s_modes[i])));
        EXPECT_OK(SosStart(&config));
        EXPECT_EQ(SosMode(), s_modes[i]);
        EXPECT_OK(SosStop(LIMIT_MS));
    }
    EXPECT_EQ(SosModeNamed("default", &mode), FALSE);
    EXPECT_OK(SetEnvironmentVariableA("SQLOS_MODE", "a name that is longer than any"));
    EXPECT_FAILS(SosStart(&config), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetEnvironmentVariableA("SQLOS_MODE", "coroutines"));
    EXPECT_FAILS(SosStart(&config), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetEnvironmentVariableA("SQLOS_MODE", NULL));
    EXPECT_OK(SosStart(&config));
    EXPECT_EQ(SosMode(), SOS_MODE_UMS);
    EXPECT_OK(SosStop(LIMIT_MS));
    config.mode = SOS_MODES;
    EXPECT_FAILS(SosStart(&config), ERROR_INVALID_PARAMETER);
}
