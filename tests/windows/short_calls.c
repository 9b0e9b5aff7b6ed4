/* SPDX-License-Identifier: MIT
 *
 * short_calls.c - file calls whose scheduler waits for them before it is told. In that moment any
 * of these may happen: the worker is suspended or ended, its scheduler is suspended, the call turns
 * out long. And what a call on NUL costs a worker.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "stopwatch.h"
#include "waiters.h"

#include <stdio.h>

/* Wine 8 ends a thread that is suspended while it sends its server more than a pipe holds, 64 KiB. */
enum { ROOM = 4096, MUCH = 48 * 1024, LIMIT_MS = 8000 };

static struct loose rig;
static HANDLE reads, writes;
static int entered, returned;
static char data[MUCH];

static DWORD WINAPI write_much(LPVOID param)
{
    DWORD written = 0;

    flag_set(&entered, 1);
    EXPECT_OK(WriteFile(writes, data, MUCH, &written, NULL));
    EXPECT_EQ(written, MUCH);
    flag_set(&returned, 1);
    return 3;
}

static DWORD WINAPI run_once(LPVOID param)
{
    flag_add(param, 1);
    return 0;
}

static DWORD WINAPI read_all(LPVOID param)
{
    static char bytes[ROOM];
    DWORD count, sum = 0;

    while (sum < MUCH && ReadFile(reads, bytes, sizeof bytes, &count, NULL))
        sum += count;
    return sum;
}

static void drain(void)
{
    HANDLE thread = CreateThread(NULL, 0, read_all, NULL, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

/* A worker that is writing more than the pipe holds. */
static struct loose_worker *start_writer(void)
{
    rig = (struct loose){0};
    entered = returned = 0;
    EXPECT_OK(CreatePipe(&reads, &writes, NULL, ROOM));
    if (!loose_start(&rig, NULL))
        return NULL;
    struct loose_worker *worker = loose_add(&rig, write_much, NULL, 0);
    loose_reaches(&entered, 1);
    return worker;
}

static void finish(struct loose_worker *worker)
{
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
    EXPECT_EQ(worker->arrivals, 1 + worker->traps + worker->blocked);
    EXPECT_OK(CloseHandle(reads));
    EXPECT_OK(CloseHandle(writes));
}

static void expect_scheduler_goes_on(void)
{
    int ran = 0;
    struct loose_worker *other = loose_add(&rig, run_once, &ran, 0);

    ASSERT_REACHES(other->ended, 1);
    EXPECT_EQ(ran, 1);
}

TEST(ShortCalls, one_that_takes_long_is_a_block_BL_1)
{
    struct loose_worker *worker = start_writer();

    ASSERT_NE(worker, NULL);
    ASSERT_REACHES(worker->blocked, 1);
    expect_scheduler_goes_on();
    EXPECT_EQ(flag_get(&returned), 0);
    drain();
    ASSERT_REACHES(worker->ended, 1);
    EXPECT_EQ(returned, 1);
    EXPECT_EQ(worker->blocked, 2); /* and its end */
    finish(worker);
}

TEST(ShortCalls, suspended_in_one_SU_3)
{
    struct loose_worker *worker = start_writer();

    ASSERT_NE(worker, NULL);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    ASSERT_OK(loose_suspended(worker));
    expect_scheduler_goes_on();
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    expect_scheduler_goes_on(); /* its call goes on, and is a block now if it was none before */
    EXPECT_EQ(flag_get(&returned), 0);
    drain();
    ASSERT_REACHES(worker->ended, 1);
    EXPECT_EQ(returned, 1);
    finish(worker);
}

/* The worker's call has been begun: the pipe has some of what it writes. */
static bool has_begun_to_write(void)
{
    DWORD there = 0;

    for (ULONGLONG begun = stopwatch(); !there && stopwatch() - begun < LIMIT_MS;)
        if (!PeekNamedPipe(reads, NULL, 0, NULL, &there, NULL))
            break;
    return there > 0;
}

/* A call that a handler makes for the program is a good place to stand still in: the handler holds nothing.
 * The engine is in no hurry to find a bad place better. Where this one is taken for bad, the suspension comes
 * after 0.2 s, or when the call is long enough for a block. */
TEST(ShortCalls, suspended_in_one_at_once_SU_3)
{
    enum { ROUNDS_AT_MOST = 20, AT_ONCE_MS = 100 };
    bool at_once = false;
    double took = 0;
    int blocked = 0;

    for (int i = 0; i < ROUNDS_AT_MOST && !at_once && !tc_failures(); i++) {
        struct loose_worker *worker = start_writer();
        double start;

        ASSERT_NE(worker, NULL);
        ASSERT_OK(has_begun_to_write());
        start = now_ms();
        EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
        took = now_ms() - start;
        ASSERT_OK(loose_suspended(worker));
        expect_scheduler_goes_on(); /* it has seen a block by then, if there was one */
        blocked = flag_get(&worker->blocked);
        at_once = took <= AT_ONCE_MS && !blocked;
        EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
        drain();
        ASSERT_REACHES(worker->ended, 1);
        finish(worker);
    }
    EXPECT_THAT(at_once, "the last suspension took %.1f ms, and the call was a block %d times",
                took, blocked);
}

TEST(ShortCalls, ended_in_one_LF_5)
{
    struct loose_worker *worker = start_writer();

    ASSERT_NE(worker, NULL);
    EXPECT_OK(TerminateThread(worker->bare.thread, 9));
    ASSERT_REACHES(worker->ended, 1);
    expect_scheduler_goes_on();
    EXPECT_EQ(flag_get(&returned), 0);
    finish(worker);
}

TEST(ShortCalls, its_scheduler_is_suspended_meanwhile)
{
    struct loose_worker *worker = start_writer();
    int blocked;

    ASSERT_NE(worker, NULL);
    EXPECT_EQ(SuspendThread(rig.thread), 0);
    blocked = flag_get(&worker->blocked);
    Sleep(600); /* longer than it would wait */
    EXPECT_EQ(flag_get(&worker->blocked), blocked);
    EXPECT_EQ(ResumeThread(rig.thread), 1);
    expect_scheduler_goes_on();
    EXPECT_EQ(flag_get(&returned), 0);
    drain();
    ASSERT_REACHES(worker->ended, 1);
    EXPECT_EQ(returned, 1);
    finish(worker);
}

/* ---- Habits ---------------------------------------------------------------------------------- */

enum { BYTES = 1000 };

static void read_bytes(struct worker *self)
{
    for (int i = 0; i < BYTES && !tc_failures(); i++) {
        char byte = 0;
        DWORD count = 0;

        EXPECT_OK(ReadFile(reads, &byte, 1, &count, NULL));
        EXPECT_EQ(byte, (char)i);
    }
}

/* The blocks that a worker's reads of so many bytes give, which are all there; -1 after a failure. */
static int blocks_of_reads(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    DWORD written = 0;
    int blocked;

    if (!fleet || !EXPECT_OK(WriteFile(writes, data, BYTES, &written, NULL)))
        return -1;
    fleet_add(fleet, read_bytes, NULL);
    EXPECT_OK(fleet_run(fleet));
    blocked = fleet_worker(fleet, 0)->blocked;
    fleet_destroy(fleet);
    return blocked;
}

/* It is not known from the first; and where another process has the processor many a short call looks long.
 * Where nothing is learnt all of them are blocks, in each round. */
TEST(ShortCalls, reads_of_what_is_there_BL_2)
{
    ULONGLONG end = GetTickCount64() + 15000;
    int blocked;

    for (int i = 0; i < BYTES; i++)
        data[i] = (char)i;
    ASSERT_OK(CreatePipe(&reads, &writes, NULL, ROOM));
    do {
        blocked = blocks_of_reads();
    } while (blocked > BYTES / 2 && !tc_failures() && GetTickCount64() < end);
    EXPECT_LE(blocked, BYTES / 2);
    EXPECT_OK(CloseHandle(reads));
    EXPECT_OK(CloseHandle(writes));
}

/* ---- What it costs --------------------------------------------------------------------------- */

/* Short rounds: one in many is not disturbed, on a busy machine, too. */
enum { ROUNDS = 400, CALLS = 100, MOST_TIMES = 3 };

static double best_write(void)
{
    HANDLE nul = CreateFileA("NUL", GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ms(), took;
        DWORD written;

        for (int i = 0; i < CALLS; i++)
            WriteFile(nul, data, 16, &written, NULL);
        took = (now_ms() - start) * 1000 / CALLS;
        best = took < best ? took : best;
    }
    CloseHandle(nul);
    return best;
}

static void measuring_worker(struct worker *self)
{
    *(double *)self->arg = best_write();
}

TEST(ShortCalls, cost_of_a_write_to_nul)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    double thread = best_write(), worker = 0;

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, measuring_worker, &worker);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    printf("a write to NUL: thread %.2f us, worker %.2f us\n", thread, worker);
    EXPECT_LE((int)(worker * 100), (int)(thread * 100 * MOST_TIMES));
}
