/* SPDX-License-Identifier: MIT
 *
 * priority.c - threads of the package have priorities: who goes first on one processor.
 */
#include "gtest_c.h"
#include "stories.h"

#include <string.h>

static void fork_four_below(void *arg)
{
    static const int priorities[] = {0, 4, 1, 5};
    struct ft_thread *threads[4];

    EXPECT_EQ(ft__priority(ft__self()), FT_MAX_PRIORITY);
    for (int i = 0; i < 4; i++)
        threads[i] = story_start(priorities[i], story_note_self, (void *)&"0415"[i]);
    story_note('f');
    for (int i = 0; i < 4; i++)
        ft_join(threads[i]);
}

static void a_mixed_lot(void *arg)
{
    struct ft_thread *boss;

    story_make_threads();
    boss = story_start(FT_MAX_PRIORITY, fork_four_below, NULL);
    story_note('m');
    ft_join(boss);
}

/* The boss waits in its first join; from there on they go by their priorities, as it does. */
TEST(priority, the_highest_goes_first)
{
    static const enum ft_ground grounds[] = {FT_UMS, FT_USER};

    for (int i = 0; i < 2; i++) {
        story_run(grounds[i], 1, a_mixed_lot);
        EXPECT_THAT(strcmp(story_order, "f541m0") == 0 || strcmp(story_order, "f5410m") == 0,
                    "on %s the order was %s", ft_ground_name(grounds[i]), story_order);
    }
}

static struct ft_lock lock;
static struct ft_condition condition;
static volatile LONG waiting;

static void wait_and_note(void *arg)
{
    ft_acquire(&lock);
    InterlockedIncrement(&waiting);
    ft_wait(&condition, &lock);
    ft_release(&lock);
    story_note(*(const char *)arg);
}

static void take_and_note(void *arg)
{
    InterlockedIncrement(&waiting);
    ft_acquire(&lock);
    story_note(*(const char *)arg);
    ft_release(&lock);
}

static void make_ready_in_every_way(void *arg)
{
    struct ft_thread *threads[4];

    story_make_threads();
    ft_lock_init(&lock);
    ft_condition_init(&condition);
    waiting = 0;
    threads[0] = story_start(1, wait_and_note, "s");
    EXPECT_EQ(waiting, 1); /* it went first, until it waited */
    ft_signal(&condition);
    story_note('1');
    threads[1] = story_start(1, wait_and_note, "a");
    threads[2] = story_start(2, wait_and_note, "b");
    EXPECT_EQ(waiting, 3);
    ft_broadcast(&condition);
    story_note('2');
    ft_acquire(&lock);
    threads[3] = story_start(3, take_and_note, "r");
    EXPECT_EQ(waiting, 4);
    ft_release(&lock);
    story_note('3');
    for (int i = 0; i < 4; i++)
        ft_join(threads[i]);
}

TEST(priority, who_makes_a_higher_one_ready_gives_way)
{
    static const enum ft_ground grounds[] = {FT_UMS, FT_USER};

    for (int i = 0; i < 2; i++) {
        story_run(grounds[i], 1, make_ready_in_every_way);
        EXPECT_THAT(strcmp(story_order, "s1ba2r3") == 0, "on %s the order was %s",
                    ft_ground_name(grounds[i]), story_order);
    }
}

static void look_at_own(void *arg)
{
    *(int *)arg = ft__priority(ft__self());
}

static void fork_as_it_is(void *arg)
{
    ft_join(ft_fork(look_at_own, arg));
}

static void fork_a_child(void *arg)
{
    int priority = -1;

    ft_join(story_start(5, fork_as_it_is, &priority));
    EXPECT_EQ(priority, 5);
    fork_as_it_is(&priority); /* on threads that had another one before */
    EXPECT_EQ(priority, 0);
    EXPECT_THAT(!ft_fork_at(-1, story_nothing, NULL), "below the lowest");
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
    EXPECT_THAT(!ft_fork_at(FT_MAX_PRIORITY + 1, story_nothing, NULL), "above the highest");
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
}

TEST(priority, a_child_has_its_parents)
{
    story_run(FT_UMS, 1, fork_a_child);
    story_run(FT_USER, 1, fork_a_child);
}

static void nothing_of_a_priority(void *arg)
{
    ft_join(story_start(1, story_nothing, NULL));
}

TEST(priority, other_grounds_leave_the_order_to_the_system)
{
    story_run(FT_KERNEL, 1, nothing_of_a_priority);
    if (ft_ground_here(FT_PROCESSES))
        story_run(FT_PROCESSES, 1, nothing_of_a_priority);
}
