/* SPDX-License-Identifier: MIT
 *
 * thread_from_worker.c - a thread that a worker creates is an ordinary one: no filter, the
 * program's signal mask, every processor.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "come_and_go.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

struct found {
    int seccomp;
    int blocked_signals;
    int processors;
    int expected_processors;
    PUMS_CONTEXT context;
};

static sem_t go; /* the new thread ends after it: a thread that joins it has to wait */

static void let_go(struct block_case *c)
{
    sem_post(&go);
}

static int seccomp_mode(void)
{
    char path[64];
    char line[128];
    int mode = -1;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)gettid());
    file = fopen(path, "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Seccomp: %d", &mode) == 1)
            break;
    fclose(file);
    return mode;
}

static void *look_around(void *param)
{
    struct found *found = param;
    cpu_set_t set;
    sigset_t mask;

    found->seccomp = seccomp_mode();
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < 32; number++)
        found->blocked_signals += sigismember(&mask, number) == 1;
    sched_getaffinity(0, sizeof set, &set);
    found->processors = CPU_COUNT(&set);
    found->context = GetCurrentUmsThread();
    sem_wait(&go);
    return param;
}

static void check(const struct found *found)
{
    EXPECT_EQ(found->seccomp, 0);
    EXPECT_EQ(found->blocked_signals, 0);
    EXPECT_EQ(found->processors, found->expected_processors);
    EXPECT_EQ(found->context, NULL);
}

static int all_processors(void)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof set, &set);
    return CPU_COUNT(&set);
}

static void create_pthread(struct block_case *c)
{
    struct found found = {.expected_processors = (int)c->number};
    pthread_t thread;
    void *result = NULL;

    EXPECT_EQ(pthread_create(&thread, NULL, look_around, &found), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0); /* blocks: others run meanwhile */
    EXPECT_EQ(result, &found);
    check(&found);
}

BLOCK_TEST(ThreadFromWorker, pthread_create, .block = create_pthread, .complete = let_go,
           .number = all_processors())

static DWORD WINAPI look_around_win32(LPVOID param)
{
    look_around(param);
    return 5;
}

static void create_win32(struct block_case *c)
{
    struct found found = {.expected_processors = (int)c->number};
    HANDLE thread = CreateThread(NULL, 0, look_around_win32, &found, 0, NULL);

    EXPECT_NE(thread, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    check(&found);
}

BLOCK_TEST(ThreadFromWorker, create_thread, .block = create_win32, .complete = let_go,
           .number = all_processors())

static int c11_body(void *param)
{
    look_around(param);
    return 8;
}

static void create_c11(struct block_case *c)
{
    struct found found = {.expected_processors = (int)c->number};
    thrd_t thread;
    int result = 0;

    EXPECT_EQ(thrd_create(&thread, c11_body, &found), thrd_success);
    EXPECT_EQ(thrd_join(thread, &result), thrd_success);
    EXPECT_EQ(result, 8);
    check(&found);
}

BLOCK_TEST(ThreadFromWorker, thrd_create, .block = create_c11, .complete = let_go,
           .number = all_processors())

/* Attributes asked for are honoured. */
static void *small_stack_body(void *param)
{
    pthread_attr_t attributes;
    size_t size = 0;
    void *stack;

    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
    *(size_t *)param = size;
    return NULL;
}

WORKER_TEST(ThreadFromWorker, attributes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t size = 0;

    EXPECT_EQ(pthread_attr_init(&attributes), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&attributes, 512 * 1024), 0);
    EXPECT_EQ(pthread_create(&thread, &attributes, small_stack_body, &size), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_GE(size, 500 * 1024);
    pthread_attr_destroy(&attributes);
}

enum { MAKERS = 6 };

/* A thread ends when it has been detached, not before: thread_chains.c says why. */
static struct meeting {
    sem_t detached, done;
} meetings[MAKERS];

static void *post_done(void *param)
{
    struct meeting *meeting = param;

    EXPECT_EQ(sem_wait(&meeting->detached), 0);
    sem_post(&meeting->done);
    return NULL;
}

static void create_many(struct worker *self)
{
    struct meeting *meeting = &meetings[self->index];

    for (int i = 0; i < 20; i++) {
        pthread_t thread;

        EXPECT_EQ(pthread_create(&thread, NULL, post_done, meeting), 0);
        EXPECT_EQ(pthread_detach(thread), 0);
        EXPECT_EQ(sem_post(&meeting->detached), 0);
        EXPECT_EQ(sem_wait(&meeting->done), 0);
        UmsThreadYield(NULL);
    }
}

TEST(ThreadFromWorker, many_detached)
{
    struct fleet *fleet = fleet_create(2, MAKERS, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < MAKERS; i++) {
        EXPECT_EQ(sem_init(&meetings[i].detached, 0, 0), 0);
        EXPECT_EQ(sem_init(&meetings[i].done, 0, 0), 0);
        fleet_add(fleet, create_many, NULL);
    }
    fleet_run(fleet);
    fleet_destroy(fleet);
}

/* The program's other threads are never filtered either (design: the filter is the spawner's). */
TEST(ThreadFromWorker, main_thread_is_not_filtered)
{
    struct block_case c = {.block = create_pthread, .complete = let_go, .number = all_processors()};
    struct found found = {.expected_processors = all_processors()};
    pthread_t thread;

    run_block_case(&c);
    EXPECT_EQ(seccomp_mode(), 0);
    let_go(NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, look_around, &found), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    check(&found);
}

/* ---- Many that create and join ----------------------------------------------------------------------- */

enum { CREATORS = 8, CREATIONS = 120 };

/* libc gives the lock of its stacks, or the wake-up for it, to a worker that is not executed just now, while
 * another has a thread made, which needs that lock: the scheduler must be free for the first. */
static void create_and_join(struct worker *self)
{
    for (int i = 0; i < CREATIONS; i++)
        come_and_go(self);
}

TEST(ThreadFromWorker, many_create_and_join)
{
    struct fleet *fleet = fleet_create(1, CREATORS, 0);

    for (int i = 0; i < CREATORS; i++)
        fleet_add(fleet, create_and_join, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}
