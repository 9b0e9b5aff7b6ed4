/* SPDX-License-Identifier: MIT
 *
 * priority_stops.c - who is stopped for threads of higher priorities, and who is lent one.
 */
#include "gtest_c.h"
#include "stories.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 10, LOW = 3, QUIET_MS = 60 };

static volatile LONG waiting;

static volatile LONG computing, enough, over_time;
static HANDLE doorbell;

/* Neither forks nor yields nor waits, until the one for whom it is to be stopped has run. */
static void compute(void *arg)
{
    InterlockedIncrement(&computing);
    if (!story_compute_until(&enough, 1))
        InterlockedIncrement(&over_time);
}

static void answer_the_bell(void *arg)
{
    InterlockedIncrement(&waiting);
    EXPECT_EQ(WaitForSingleObject(doorbell, STORY_LIMIT_MS), WAIT_OBJECT_0);
    story_note('H');
    enough = 1;
}

static DWORD WINAPI ring_when_all_compute(LPVOID param)
{
    ULONGLONG until = GetTickCount64() + STORY_LIMIT_MS;

    while (computing < 2 && GetTickCount64() < until)
        Sleep(1);
    SetEvent(doorbell);
    return 0;
}

static void one_round(void)
{
    struct ft_thread *threads[LOW + 2];
    HANDLE bell;

    computing = enough = waiting = 0;
    story_begin();
    bell = CreateThread(NULL, 0, ring_when_all_compute, NULL, 0, NULL);
    ASSERT_OK(bell);
    threads[0] = story_start(1, answer_the_bell, NULL);
    while (!waiting)
        ft_yield();
    threads[1] = ft_fork(compute, NULL);
    ASSERT_THAT(threads[1], "no thread");
    while (!computing)
        ft_yield();
    for (int i = 0; i < LOW; i++) { /* ready before the other one is, and at this processor */
        threads[2 + i] = story_start(0, story_note_self, "L");
        ASSERT_THAT(threads[2 + i], "no thread");
    }
    compute(NULL);
    for (int i = 0; i < LOW + 2; i++)
        ft_join(threads[i]);
    EXPECT_EQ(WaitForSingleObject(bell, STORY_LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(bell);
    EXPECT_THAT(strcmp(story_order, "HLLL") == 0, "the order was %s", story_order);
}

static void bell_rounds(void *arg)
{
    story_make_threads();
    for (int i = 0; i < ROUNDS; i++)
        one_round();
}

TEST(priority_stops, a_processor_is_taken_for_one_that_unblocks)
{
    doorbell = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(doorbell);
    over_time = 0;
    story_run(FT_UMS, 2, bell_rounds);
    EXPECT_EQ(over_time, 0);
    EXPECT_GE(story_counts.raised, ROUNDS);
    printf("%lu stops for %d threads\n", story_counts.raised, ROUNDS);
    CloseHandle(doorbell);
}

static void note_and_end(void *arg)
{
    story_note(*(const char *)arg);
    enough = 1;
}

static unsigned long switches_of(const struct processor *processor)
{
    return *(const volatile unsigned long *)&processor->counts.switches;
}

/* Its own priority is higher than the other's, so it does not give way; a lower one has the other processor. */
static void fork_and_compute(void *arg)
{
    struct processor *here = atomic_load(&ft__self()->where);
    unsigned long before = switches_of(here);
    struct ft_thread *middle = story_start(1, note_and_end, "M");

    if (!story_compute_until(&enough, 1))
        InterlockedIncrement(&over_time);
    EXPECT_EQ(switches_of(here), before); /* it is not the one that was stopped */
    story_note('K');
    ft_join(middle);
}

static void a_high_a_middle_and_a_low_one(void *arg)
{
    struct ft_thread *low;

    story_make_threads();
    for (int i = 0; i < ROUNDS; i++) {
        computing = enough = 0;
        story_begin();
        low = story_start(0, compute, NULL);
        while (!computing)
            ft_yield();
        ft_join(story_start(2, fork_and_compute, NULL));
        ft_join(low);
        EXPECT_THAT(strcmp(story_order, "MK") == 0, "the order was %s", story_order);
    }
}

TEST(priority_stops, of_two_processors_the_lower_one_is_taken)
{
    over_time = 0;
    story_run(FT_UMS, 2, a_high_a_middle_and_a_low_one);
    EXPECT_EQ(over_time, 0);
    EXPECT_GE(story_counts.raised, ROUNDS);
}

static void compute_for_a_while(void *arg)
{
    ULONGLONG until = GetTickCount64() + QUIET_MS;

    while (GetTickCount64() < until)
        YieldProcessor();
    story_note('H');
}

static void a_high_one_and_others_that_are_ready(void *arg)
{
    struct ft_thread *threads[3];

    story_make_threads();
    threads[0] = story_start(0, story_note_self, "L");
    threads[1] = story_start(0, story_note_self, "L");
    threads[2] = story_start(1, compute_for_a_while, NULL);
    for (int i = 0; i < 3; i++)
        ft_join(threads[i]);
}

TEST(priority_stops, the_highest_is_not_stopped_for_others)
{
    story_run(FT_UMS, 1, a_high_one_and_others_that_are_ready);
    EXPECT_THAT(strcmp(story_order, "HLL") == 0, "the order was %s", story_order);
    EXPECT_EQ(story_counts.raised, 0);
}

/* ---- Critical sections ----------------------------------------------------------------------- */

static struct ft_condition guarded;
static volatile LONG inside, wants;

static void stay_in_the_guard(void *arg)
{
    struct spin *guard = (struct spin *)(void *)&guarded; /* its first member */

    spin_enter(guard, ft__self());
    inside = 1;
    EXPECT_EQ(WaitForSingleObject(doorbell, STORY_LIMIT_MS), WAIT_OBJECT_0);
    story_note('0');
    spin_leave(guard, ft__self()); /* it returns to the loop, and to its own priority */
    EXPECT_EQ(ft__priority(ft__self()), 0);
}

static void want_the_guard(void *arg)
{
    wants = 1;
    ft_signal(&guarded);
    story_note('2');
}

static DWORD WINAPI ring_when_wanted(LPVOID param)
{
    ULONGLONG until = GetTickCount64() + STORY_LIMIT_MS;

    while (!wants && GetTickCount64() < until)
        Sleep(1);
    SetEvent(doorbell);
    return 0;
}

static void a_low_one_in_the_guard(void *arg)
{
    HANDLE bell = CreateThread(NULL, 0, ring_when_wanted, NULL, 0, NULL);
    struct ft_thread *threads[3];

    ASSERT_OK(bell);
    story_make_threads();
    ft_condition_init(&guarded);
    threads[0] = story_start(0, stay_in_the_guard, NULL);
    while (!inside)
        ft_yield();
    threads[1] = story_start(2, want_the_guard, NULL);
    threads[2] = story_start(1, story_note_self, "1");
    for (int i = 0; i < 3; i++)
        ft_join(threads[i]);
    EXPECT_EQ(WaitForSingleObject(bell, STORY_LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(bell);
}

/* On one processor the one that wants the guard is always ready, and always the highest: with nothing lent
 * there would be no end. */
TEST(priority_stops, who_is_in_a_section_is_lent_the_priority_of_who_wants_it)
{
    doorbell = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(doorbell);
    inside = wants = 0;
    story_run(FT_UMS, 1, a_low_one_in_the_guard);
    /* Who wants it may be stopped for the holder's arrival, and come back after '1'. */
    EXPECT_THAT(strlen(story_order) == 3 && story_order[0] == '0', "the order was %s", story_order);
    EXPECT_GE(story_counts.returns, 1);
    CloseHandle(doorbell);
}
