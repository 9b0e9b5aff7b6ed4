/* SPDX-License-Identifier: MIT
 *
 * stories.c - see stories.h.
 */
#include "stories.h"

#include "gtest_c.h"

#include <string.h>

struct ft_statistics story_counts;
char story_order[STORY_THREADS + 1];

static volatile LONG ordered;

void story_begin(void)
{
    memset(story_order, 0, sizeof(story_order));
    ordered = 0;
}

void story_note(char name)
{
    story_order[InterlockedIncrement(&ordered) - 1] = name;
}

void story_note_self(void *name)
{
    story_note(*(const char *)name);
}

void story_nothing(void *arg)
{
}

void story_make_threads(void)
{
    struct ft_thread *threads[STORY_THREADS];

    for (int i = 0; i < STORY_THREADS; i++) {
        threads[i] = ft_fork(story_nothing, NULL);
        ASSERT_THAT(threads[i], "thread %d", i);
    }
    for (int i = 0; i < STORY_THREADS; i++)
        ft_join(threads[i]);
}

struct ft_thread *story_start(int priority, void (*body)(void *), void *arg)
{
    struct ft_thread *thread = ft_fork_at(priority, body, arg);

    EXPECT_THAT(thread, "no thread of priority %d", priority);
    return thread;
}

BOOL story_compute_until(volatile LONG *flag, LONG wanted)
{
    ULONGLONG until = GetTickCount64() + STORY_LIMIT_MS;

    while (*flag < wanted && GetTickCount64() < until)
        YieldProcessor();
    return *flag >= wanted;
}

void story_run(enum ft_ground ground, int processors, void (*first)(void *))
{
    struct ft_options options = {.ground = ground, .processors = processors};

    story_begin();
    EXPECT_EQ(ft_run(&options, first, NULL, &story_counts), 0);
}
