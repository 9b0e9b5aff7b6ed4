/* SPDX-License-Identifier: MIT
 *
 * memory_flat.c - memory does not grow with yields, blocks, workers that come and go, schedulers that enter and
 * leave, or objects that one processor makes and another closes.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_status.h"
#include "scenario.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIMIT_MS = 5000 };

static long descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    long count = 0;

    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static long threads(void)
{
    return number_in_status("Threads");
}

/* A thread that has said its last word may still be there for a while, and have a file of /proc open. */
static void expect_at_most(long (*count)(void), long most)
{
    long long began = now_ms();
    long now;

    while ((now = count()) > most && now_ms() - began < LIMIT_MS)
        usleep(1000);
    EXPECT_LE(now, most);
}

enum { YIELDS = 400000 };
static int turns;

static void yield_many(struct worker *self)
{
    for (int i = 0; i < turns; i++)
        UmsThreadYield(NULL);
}

static void block_many(struct worker *self)
{
    for (int i = 0; i < turns; i++)
        if ((i + self->index) % 2)
            usleep(10);
        else
            Sleep(1);
}

static void run(worker_body body, int schedulers, int workers)
{
    FLEET_RUN(schedulers, FLEET_SHARED_READY, {workers, body, NULL});
}

/* What is made on demand is there after this: every processor's threads, the C library's arenas. */
static void warm_up(void)
{
    for (int i = 0; i < 10; i++) {
        turns = 5;
        run(block_many, 2, 50);
        run(yield_many, 2, 50);
    }
}

static void expect_flat(void (*step)(void), int times, long allowed_kb, int allowed_threads)
{
    long before, descriptors_before, threads_before;

    warm_up();
    step();
    before = own_memory_kib();
    descriptors_before = descriptors();
    threads_before = threads();
    for (int i = 0; i < times; i++)
        step();
    EXPECT_LE(own_memory_kib() - before, allowed_kb);
    expect_at_most(descriptors, descriptors_before);
    expect_at_most(threads, threads_before + allowed_threads);
}

static void yield_step(void)
{
    turns = YIELDS;
    run(yield_many, 1, 2);
}

CALL_TEST(MemoryFlat, over_millions_of_yields, expect_flat(yield_step, 8, 512, 2))

static void block_step_(void)
{
    turns = 100;
    run(block_many, 2, 8);
}

CALL_TEST(MemoryFlat, over_blocking_calls, expect_flat(block_step_, 8, 512, 16))

static void worker_step(void)
{
    turns = 2;
    run(yield_many, 2, 50);
}

CALL_TEST(MemoryFlat, over_workers_that_come_and_go, expect_flat(worker_step, 40, 512, 4))

static void blocked_worker_step(void)
{
    turns = 2;
    run(block_many, 2, 50);
}

CALL_TEST(MemoryFlat, over_blocked_workers_that_come_and_go,
          expect_flat(blocked_worker_step, 40, 512, 16))

/* ---- One processor makes, the other closes ---- */

enum { HANDED_OVER = 500 };

static HANDLE handed_over[HANDED_OVER];
static uintptr_t highest;
static int processors[2];

static void go_to(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    EXPECT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

static void *make_some(void *unused)
{
    go_to(processors[0]);
    for (int i = 0; i < HANDED_OVER; i++) {
        handed_over[i] = CreateEventW(NULL, i % 2, 0, NULL);
        EXPECT_NE(handed_over[i], NULL);
        if ((uintptr_t)handed_over[i] > highest)
            highest = (uintptr_t)handed_over[i];
    }
    return unused;
}

static void *close_them(void *unused)
{
    go_to(processors[1]);
    for (int i = 0; i < HANDED_OVER; i++)
        EXPECT_NE(CloseHandle(handed_over[i]), FALSE);
    return unused;
}

static void hand_over_step(void)
{
    pthread_t thread;

    ASSERT_EQ(pthread_create(&thread, NULL, make_some, NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    ASSERT_EQ(pthread_create(&thread, NULL, close_them, NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
}

TEST(MemoryFlat, over_objects_that_one_processor_makes_and_another_closes)
{
    cpu_set_t set;
    int count = 0;
    uintptr_t before;

    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
        if (CPU_ISSET(i, &set))
            processors[count++] = i;
    if (count < 2)
        SKIP("needs a second processor");
    hand_over_step();
    before = highest;
    expect_flat(hand_over_step, 300, 512, 2);
    EXPECT_LE(highest, before + 4 * HANDED_OVER);
}
