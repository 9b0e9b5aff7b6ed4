/* SPDX-License-Identifier: MIT
 *
 * latches.c - which modes of a latch go together, who passes whom, and what ends of waits change.
 */
#include "task_end.h"

/* On a busy machine ENOUGH_MS end the stress instead of ROUNDS. */
enum { ENOUGH_MS = 500, TASKS = 12, ROUNDS = 80, SCHEDULERS = 3 };

static SOS_LATCH s_latch;

static DWORD try_all_pairs(PVOID argument)
{
    static const char *const together[SOS_LATCH_MODES] = {"yyyyn", /* KP with KP, SH, UP, EX, DT */
                                                          "yyynn", /* SH */
                                                          "yynnn", /* UP */
                                                          "ynnnn", /* EX */
                                                          "nnnnn"};

    UNREFERENCED_PARAMETER(argument);
    for (int held = 0; held < SOS_LATCH_MODES; held++) {
        EXPECT_EQ(SosLatchAcquire(&s_latch, (SOS_LATCH_MODE)held, 0), SOS_OK);
        for (int mode = 0; mode < SOS_LATCH_MODES; mode++) {
            SOS_STATUS status = SosLatchAcquire(&s_latch, (SOS_LATCH_MODE)mode, 0);
            BOOL fits = together[held][mode] == 'y';

            EXPECT_THAT((status == SOS_OK) == fits, "mode %d beside %d: status %d", mode, held,
                        status);
            if (status == SOS_OK)
                SosLatchRelease(&s_latch, (SOS_LATCH_MODE)mode);
        }
        SosLatchRelease(&s_latch, (SOS_LATCH_MODE)held);
    }
    return 0;
}

TEST(SqlosLatches, modes_go_together_as_the_table_says)
{
    SOS_CONFIG config = {.schedulers = 1};

    SosLatchInit(&s_latch);
    ASSERT_OK(SosStart(&config));
    finish(SosSubmit(0, try_all_pairs, NULL), 0);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- Order ----------------------------------------------------------------------------------- */

static volatile LONGLONG s_order;
static DWORD s_timeouts[10];

static DWORD one_request(PVOID argument)
{
    int number = (int)(ULONG_PTR)argument / 10;
    SOS_LATCH_MODE mode = (SOS_LATCH_MODE)((ULONG_PTR)argument % 10);
    SOS_STATUS status =
        SosLatchAcquire(&s_latch, mode, s_timeouts[number] ? s_timeouts[number] : INFINITE);

    if (status == SOS_OK) {
        s_order = s_order * 10 + number;
        SosLatchRelease(&s_latch, mode);
    }
    return (DWORD)status;
}

static SOS_TASK *request(int number, SOS_LATCH_MODE mode)
{
    return SosSubmit(0, one_request, (PVOID)(ULONG_PTR)(number * 10 + (int)mode));
}

/* A task's worker may have to be made, and arrives when its thread has begun. */
static void until(const volatile LONGLONG *count, LONGLONG wanted)
{
    ULONGLONG end = GetTickCount64() + LIMIT_MS;

    while (*count != wanted && GetTickCount64() < end)
        SosYield();
    EXPECT_EQ(*count, wanted);
}

static DWORD see_who_passes(PVOID argument)
{
    SOS_TASK *tasks[5];

    UNREFERENCED_PARAMETER(argument);
    EXPECT_EQ(SosLatchAcquire(&s_latch, SOS_LATCH_SH, 0), SOS_OK);
    tasks[0] = request(1, SOS_LATCH_EX); /* waits for the reader */
    until(&s_latch.waits, 1);
    tasks[1] = request(2, SOS_LATCH_SH); /* would make the writer wait longer */
    until(&s_latch.waits, 2);
    tasks[2] = request(3, SOS_LATCH_KP); /* is in nobody's way */
    until(&s_order, 3);
    tasks[3] = request(4, SOS_LATCH_UP);
    until(&s_latch.waits, 3);
    tasks[4] = request(5, SOS_LATCH_SH); /* goes with the second and the fourth */
    until(&s_latch.waits, 4);
    EXPECT_EQ(s_order, 3);
    SosLatchRelease(&s_latch, SOS_LATCH_SH);
    for (int i = 0; i < 5; i++)
        finish(tasks[i], SOS_OK);
    return 0;
}

TEST(SqlosLatches, a_request_passes_others_only_where_it_is_in_nobodys_way)
{
    SOS_CONFIG config = {.schedulers = 1};

    SosLatchInit(&s_latch);
    s_order = 0;
    ASSERT_OK(SosStart(&config));
    finish(SosSubmit(0, see_who_passes, NULL), 0);
    EXPECT_EQ(s_order, 31245);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD s_patience; /* the writer's, ms */
static BOOL s_in_time;

static DWORD see_the_way_clear(PVOID argument)
{
    SOS_TASK *writer, *reader, *keeper;
    SOS_WAIT_STATS waits;
    ULONGLONG start = GetTickCount64();
    LONGLONG waiting;

    EXPECT_EQ(SosLatchAcquire(&s_latch, SOS_LATCH_SH, 0), SOS_OK);
    s_timeouts[1] = argument ? INFINITE : s_patience;
    writer = request(1, SOS_LATCH_EX);
    until(&s_latch.waits, 1);
    reader = request(2, SOS_LATCH_SH); /* behind it */
    if (argument)
        until(&s_latch.waits, 2);
    while (!argument && s_latch.waits != 2 && GetTickCount64() - start < s_patience)
        SosYield();
    keeper = request(3, SOS_LATCH_KP);
    finish(keeper, SOS_OK);
    waiting = s_latch.waits;
    s_in_time = argument || GetTickCount64() - start < s_patience;
    if (s_in_time)
        EXPECT_EQ(waiting, 2);
    if (argument)
        SosTaskAbort(writer);
    finish(writer, argument ? SOS_ABORTED : SOS_TIMEOUT);
    finish(reader, SOS_OK); /* beside us, now that the writer has given up */
    SosWaitStats(SOS_WAIT_LATCH_EX, &waits);
    EXPECT_EQ(argument ? waits.aborts : waits.timeouts, 1);
    SosLatchRelease(&s_latch, SOS_LATCH_SH);
    return 0;
}

/* A writer whose time is over before the others have come shows nothing: then one has more of it. */
static void check_end_of_wait(PVOID aborted)
{
    SOS_CONFIG config = {.schedulers = 1};

    s_patience = 5;
    do {
        s_patience *= 4;
        SosLatchInit(&s_latch);
        s_order = 0;
        ASSERT_OK(SosStart(&config));
        finish(SosSubmit(0, see_the_way_clear, aborted), 0);
        EXPECT_OK(SosStop(LIMIT_MS));
    } while (!s_in_time && s_patience < LIMIT_MS && !tc_failures());
    EXPECT_OK(s_in_time);
    EXPECT_EQ(s_order, 32);
}

TEST(SqlosLatches, a_writer_that_times_out_lets_the_readers_behind_it_go)
{
    check_end_of_wait(NULL);
}

TEST(SqlosLatches, so_does_one_that_is_aborted)
{
    check_end_of_wait(&s_latch);
}

/* ---- Stress ---------------------------------------------------------------------------------- */

static volatile LONG s_readers, s_updaters, s_writers, s_broken, s_got;
static ULONGLONG s_enough;

static void check_inside(SOS_LATCH_MODE mode)
{
    volatile LONG *const counts[] = {NULL, &s_readers, &s_updaters, &s_writers};

    if (mode == SOS_LATCH_KP)
        return;
    InterlockedIncrement(counts[mode]);
    if (s_writers > 1 || s_updaters > 1 || (s_writers && (s_readers || s_updaters)))
        InterlockedIncrement(&s_broken);
}

static void check_outside(SOS_LATCH_MODE mode)
{
    volatile LONG *const counts[] = {NULL, &s_readers, &s_updaters, &s_writers};

    if (mode != SOS_LATCH_KP)
        InterlockedDecrement(counts[mode]);
}

static DWORD use_it(PVOID argument)
{
    DWORD random = (DWORD)(ULONG_PTR)argument;

    for (int i = 0; i < ROUNDS && GetTickCount64() < s_enough; i++) {
        SOS_LATCH_MODE mode;
        DWORD timeout;

        random = random * 1664525u + 1013904223u;
        mode = (SOS_LATCH_MODE)((random >> 16) % SOS_LATCH_DT);
        timeout = (random >> 20) % 8 == 0 ? 1 : INFINITE;
        if (SosLatchAcquire(&s_latch, mode, timeout) != SOS_OK)
            continue;
        InterlockedIncrement(&s_got);
        check_inside(mode);
        if ((random >> 23) % 4 == 0)
            SosYield();
        check_outside(mode);
        SosLatchRelease(&s_latch, mode);
    }
    return 0;
}

TEST(SqlosLatches, what_does_not_go_together_never_meets)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS};
    SOS_TASK *tasks[TASKS];

    SosLatchInit(&s_latch);
    s_broken = 0;
    ASSERT_OK(SosStart(&config));
    s_enough = GetTickCount64() + ENOUGH_MS;
    for (int i = 0; i < TASKS; i++)
        tasks[i] =
            SosSubmit(i % SCHEDULERS, use_it, (PVOID)(ULONG_PTR)(tc_seed() + 7919u * (unsigned)i));
    for (int i = 0; i < TASKS; i++)
        finish(tasks[i], 0);
    EXPECT_EQ(s_broken, 0);
    EXPECT_GT(s_got, 0);
    for (int i = 0; i < SOS_LATCH_MODES; i++)
        EXPECT_EQ(s_latch.held[i], 0);
    EXPECT_OK(ListEmpty(&s_latch.resource.waiters));
    EXPECT_OK(SosStop(LIMIT_MS));
}
