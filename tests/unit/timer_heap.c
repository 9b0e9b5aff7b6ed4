/* SPDX-License-Identifier: MIT
 *
 * The queue of deadlines (platform/linux/os/timer.c) against a list that is searched from end to end:
 * random timers are set, cancelled and fired, in mixtures that make many runs, few, and one.
 */
#include "platform/linux/os/timer.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main_function)(void *), void *arg)
{
    return 0;
}

void kthread_name(const char *name)
{
}

void policy_rises(void)
{
}

void affinity_reset(void)
{
}

const struct plat_core *engine_core;
struct engine_clock engine_clock;

/* Nobody here has a lane: all use the first queue. */
#define root queues[0].root
#define changed queues[0].changed

enum { TIMERS = 400 };

static struct plat_timer timers[TIMERS];

static void never(struct plat_timer *timer)
{
}

static void start(void)
{
    memset(timers, 0, sizeof timers);
    ASSERT_EQ(timer_start(), 0);
    queues[0].sleeping_until = PLAT_FOREVER;
}

/* Every armed timer is found once, from the root by children, siblings and followers, each with the right
 * way back. A parent is due no later than its children, a run is in order. */
static size_t count_below(const struct plat_timer *first, const struct plat_timer *parent)
{
    size_t count = 0;
    const struct plat_timer *left = parent;

    for (const struct plat_timer *timer = first; timer; left = timer, timer = timer->sibling) {
        const struct plat_timer *before = timer;

        EXPECT_EQ(timer->previous, left);
        EXPECT_EQ(timer->follows, 0);
        EXPECT_THAT(!parent || parent->deadline <= timer->deadline,
                    "a child is due before its parent");
        count += 1 + count_below(timer->child, timer);
        for (const struct plat_timer *next = timer->later; next;
             before = next, next = next->later) {
            EXPECT_EQ(next->previous, before);
            EXPECT_EQ(next->follows, 1);
            EXPECT_EQ(next->armed, 1);
            EXPECT_THAT(before->deadline <= next->deadline, "a run is not in order");
            count++;
        }
        EXPECT_EQ(timer->armed, 1);
    }
    return count;
}

/* The earliest of the model: its deadline, PLAT_FOREVER if there is none. */
static uint64_t earliest(size_t *armed)
{
    uint64_t first = PLAT_FOREVER;

    *armed = 0;
    for (int i = 0; i < TIMERS; i++) {
        if (timers[i].armed) {
            (*armed)++;
            first = timers[i].deadline < first ? timers[i].deadline : first;
        }
    }
    return first;
}

static void look(void)
{
    size_t armed;
    uint64_t first = earliest(&armed);

    ASSERT_EQ(count_below(root, NULL), armed);
    ASSERT_EQ(root ? root->deadline : PLAT_FOREVER, first);
}

/* What timer_main does with what is due. */
static struct plat_timer *take_first(void)
{
    struct plat_timer *due = root;

    plat_lock(&queues[0].lock);
    unlink_timer(queues, due);
    plat_unlock(&queues[0].lock);
    return due;
}

enum mixture { ANY_TIME, RISING, SAME_TIMES, FALLING, MIXTURES };

static uint64_t deadline_in(enum mixture mixture, uint64_t step, uint64_t random)
{
    switch (mixture) {
    case RISING:
        return 1000 + step;
    case FALLING:
        return 1000000 - step;
    case SAME_TIMES:
        return 1000 + random % 4 * 100;
    default:
        return random % 100000;
    }
}

TEST(TimerHeap, agrees_with_a_search_from_end_to_end)
{
    uint64_t random = tc_seed() * 2u + 1;

    for (enum mixture mixture = 0; mixture < MIXTURES; mixture++) {
        start();
        for (uint64_t step = 0; step < 6000; step++) {
            struct plat_timer *timer = &timers[next_random(&random) % TIMERS];
            uint64_t what = next_random(&random) % 10;

            if (what == 0 && root) {
                struct plat_timer *due = take_first();

                EXPECT_EQ(due->armed, 0);
            } else if (!timer->armed) {
                timer->deadline = deadline_in(mixture, step, next_random(&random));
                timer->fire = never;
                timer_add(timer);
            } else if (what < 6) {
                EXPECT_EQ(timer_cancel(timer), 1);
                EXPECT_EQ(timer_cancel(timer), 0);
            }
            if (step % 16 == 0) {
                look();
                ASSERT_EQ(tc_failures(), 0);
            }
        }
        while (root) {
            uint64_t due = take_first()->deadline;

            EXPECT_THAT(!root || due <= root->deadline, "not in order: %lu before %lu", due,
                        root->deadline);
        }
        look();
    }
}

/* Timers of one time-out are one run: the first is in the heap, nothing else. */
TEST(TimerHeap, equal_time_outs_are_one_run)
{
    start();
    for (int i = 0; i < TIMERS; i++) {
        timers[i].deadline = 5000 + (uint64_t)i / 2;
        timer_add(&timers[i]);
    }
    EXPECT_EQ(root, &timers[0]);
    EXPECT_EQ(root->child, NULL);
    /* The run goes on behind what is left of it. */
    EXPECT_EQ(timer_cancel(&timers[TIMERS - 1]), 1);
    timer_add(&timers[TIMERS - 1]);
    EXPECT_EQ(root->child, NULL);
    for (int i = 0; i < TIMERS; i++)
        EXPECT_EQ(take_first(), &timers[i]);
    EXPECT_EQ(root, NULL);
}

/* The thread that sleeps until the first deadline is woken for an earlier one, and for no other. */
TEST(TimerHeap, only_an_earlier_deadline_wakes_the_thread)
{
    uint32_t seen;

    start();
    timers[0].deadline = 100;
    timers[1].deadline = 200;
    timers[2].deadline = 100;
    timers[3].deadline = 50;
    timer_add(&timers[0]);
    queues[0].sleeping_until = 100;
    seen = changed;
    timer_add(&timers[1]);
    timer_add(&timers[2]);
    EXPECT_EQ(changed, seen);
    timer_add(&timers[3]);
    EXPECT_EQ(changed, seen + 1);
    EXPECT_EQ(root, &timers[3]);

    /* It wakes by itself before the only one there is. */
    queues[0].sleeping_until = 50;
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(timer_cancel(&timers[i]), 1);
    timer_add(&timers[1]);
    EXPECT_EQ(changed, seen + 1);
}

/* The threads that would fire them are not there, and those that set them neither. */
TEST(TimerHeap, a_child_has_no_timers)
{
    start();
    timers[0].deadline = 100;
    timer_add(&timers[0]);
    ASSERT_EQ(timer_start(), 0);
    EXPECT_EQ(root, NULL);
    EXPECT_EQ(queues[0].newest, NULL);
    EXPECT_EQ(queues[0].runs, true);
}
