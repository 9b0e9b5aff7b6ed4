/* SPDX-License-Identifier: MIT
 *
 * pair_chronicle.c - the chronicle of contention: two schedulers, four workers, one mutex pair.
 *
 * Each worker holds its scheduler until the story has come to its page. The test looks at events
 * that happen by themselves (which worker sleeps, which gets the mutex) and logs them; the log must
 * be the chronicle.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

#include <string.h>

enum { A, B, LIMIT_MS = 8000 };
enum {
    PAGE_A1_HAS_IT = 1,
    PAGE_B1_RUNS,
    PAGE_RELEASED,
    PAGE_B1_HAS_IT,
    PAGE_A2_RUNS,
    PAGE_FREE,
    PAGE_B2_HAS_IT,
    PAGE_A1_SLEEPS
};

static SOS_UNFAIR_MUTEX_PAIR s_pair;
static SOS_WORKER *volatile s_a1, *volatile s_b2;
static volatile LONG s_page;
static char s_log[1024];
static volatile LONG s_length;

/* The story is told by one at a time. */
static void tell(const char *what)
{
    size_t length = strlen(what);
    LONG at = InterlockedAdd(&s_length, (LONG)length + 1) - (LONG)length - 1;

    if ((size_t)at + length + 1 < sizeof(s_log)) {
        memcpy(s_log + at, what, length);
        s_log[at + (LONG)length] = '\n';
    }
}

static void turn_to(LONG page)
{
    InterlockedExchange(&s_page, page);
}

/* Without leaving the scheduler: nobody else may run on it. */
static void read_until(LONG page)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    while (s_page < page) {
        if (GetTickCount64() > limit) {
            FAIL("page %d never came, it is still %d", (int)page, (int)s_page);
            return;
        }
        YieldProcessor();
    }
}

static const char *state_of(SOS_WORKER *volatile worker)
{
    static const char *const names[] = {"starting", "parked",  "runnable", "running",
                                        "asleep",   "blocked", "outside"};

    return names[worker->state];
}

static DWORD a1(PVOID argument)
{
    s_a1 = CurrentWorker();
    SosPairAcquire(&s_pair, SOS_PAIR_BOTH);
    tell("A1 takes it, free");
    turn_to(PAGE_A1_HAS_IT);
    read_until(PAGE_B1_RUNS);
    SosPairRelease(&s_pair, SOS_PAIR_BOTH);
    tell("A1 releases");
    turn_to(PAGE_RELEASED);
    read_until(PAGE_B1_HAS_IT);
    SosPairAcquire(&s_pair, SOS_PAIR_BOTH); /* sleeps, and once more after B1's release */
    EXPECT_EQ(s_pair.ownerTask[0], SosCurrentTask());
    tell("A1 takes it");
    SosPairRelease(&s_pair, SOS_PAIR_BOTH);
    return 0;
}

static DWORD b2(PVOID argument)
{
    s_b2 = CurrentWorker();
    read_until(PAGE_A1_HAS_IT);
    SosPairAcquire(&s_pair, SOS_PAIR_BOTH); /* spins, sleeps; B1 runs */
    tell("B2 takes it");
    turn_to(PAGE_B2_HAS_IT);
    read_until(PAGE_A1_SLEEPS);
    tell("B2 releases"); /* from here on A1 goes on by itself */
    SosPairRelease(&s_pair, SOS_PAIR_BOTH);
    return 0;
}

static DWORD b1(PVOID argument)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;
    LONGLONG switches;

    EXPECT_STREQ(state_of(s_b2), "asleep");
    EXPECT_EQ((DWORD)s_pair.word, 0x80028002);
    tell("B1 runs, for B2 sleeps");
    turn_to(PAGE_B1_RUNS);
    read_until(PAGE_RELEASED);
    EXPECT_EQ((DWORD)s_pair.word, 0x00010001); /* free, and B2 is counted */
    EXPECT_OK(s_b2->signalled);
    SosPairAcquire(&s_pair, SOS_PAIR_BOTH);
    EXPECT_EQ(s_pair.ownerScheduler[0], CurrentWorker()->scheduler);
    tell("B1 takes it, free, before B2");
    turn_to(PAGE_B1_HAS_IT);
    read_until(PAGE_A2_RUNS);
    SosPairRelease(&s_pair, SOS_PAIR_BOTH);
    EXPECT_OK(s_a1->signalled);
    tell("B1 releases");
    turn_to(PAGE_FREE);
    switches = CurrentWorker()->scheduler->switches;
    while (CurrentWorker()->scheduler->switches == switches && GetTickCount64() < limit)
        SosYieldCheck();
    return 0;
}

static DWORD a2(PVOID argument)
{
    EXPECT_STREQ(state_of(s_a1), "asleep");
    tell("A2 runs, for A1 sleeps");
    turn_to(PAGE_A2_RUNS);
    read_until(PAGE_B2_HAS_IT);
    SosYield(); /* A1 runs, finds it held by B2, spins, sleeps */
    EXPECT_STREQ(state_of(s_a1), "asleep");
    EXPECT_EQ((DWORD)s_pair.word, 0x80028002);
    tell("A1 has found it held, and sleeps");
    turn_to(PAGE_A1_SLEEPS);
    return 0;
}

TEST(SqlosPair, the_chronicle_of_contention)
{
    static const char chronicle[] = "A1 takes it, free\n"
                                    "B1 runs, for B2 sleeps\n"
                                    "A1 releases\n"
                                    "B1 takes it, free, before B2\n"
                                    "A2 runs, for A1 sleeps\n"
                                    "B1 releases\n"
                                    "B2 takes it\n"
                                    "A1 has found it held, and sleeps\n"
                                    "B2 releases\n"
                                    "A1 takes it\n";
    SOS_CONFIG config = {.schedulers = 2};
    SOS_TASK *tasks[4];
    SOS_WAIT_STATS waits;

    SosPairInit(&s_pair);
    ASSERT_OK(SosStart(&config));
    tasks[0] = SosSubmit(A, a1, NULL);
    tasks[1] = SosSubmit(B, b2, NULL);
    /* The others are to come second on their schedulers. */
    while (!s_b2 || s_page < PAGE_A1_HAS_IT)
        Sleep(1);
    tasks[2] = SosSubmit(A, a2, NULL);
    tasks[3] = SosSubmit(B, b1, NULL);
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(tasks[i]);
        EXPECT_EQ(SosTaskWait(tasks[i], 2 * LIMIT_MS, NULL), SOS_OK);
        SosTaskRelease(tasks[i]);
    }
    EXPECT_STREQ(s_log, chronicle);
    EXPECT_EQ(s_pair.word, 0);
    EXPECT_EQ(s_pair.collisions, 2); /* B2's and A1's second; each spins and sleeps */
    EXPECT_EQ(s_pair.sleeps, 3);
    EXPECT_GE(s_pair.spins, 3000);
    SosWaitStats(SOS_WAIT_CMEMTHREAD, &waits);
    EXPECT_EQ(waits.waits, 3);
    EXPECT_OK(SosStop(LIMIT_MS));
}
