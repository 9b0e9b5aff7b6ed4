/* SPDX-License-Identifier: MIT
 *
 * pthread_key_destructors.c - values of pthread keys are each worker's own; destructors run at its
 * end, on the worker. pthread_exit and cleanup handlers end a worker as a return does.
 *
 * modes: default
 */
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 10, ROUNDS = 2 };

static pthread_key_t key;
static int destroyed;
static int wrong_place;
static int cleaned;

struct value {
    pid_t owner;
    int rounds; /* the destructor sets the key again this often */
};

static void destroy(void *param)
{
    struct value *value = param;

    usleep(500); /* may block */
    if (gettid() != value->owner)
        flag_add(&wrong_place, 1);
    flag_add(&destroyed, 1);
    if (--value->rounds > 0)
        pthread_setspecific(key, value);
    else
        free(value);
}

static void use_key(struct worker *self)
{
    struct value *value = malloc(sizeof *value);

    EXPECT_EQ(pthread_getspecific(key), NULL);
    *value = (struct value){gettid(), ROUNDS};
    EXPECT_EQ(pthread_setspecific(key, value), 0);
    for (int i = 0; i < 10; i++) {
        UmsThreadYield(self);
        usleep(200);
        EXPECT_EQ(pthread_getspecific(key), value);
    }
}

static void clean(void *param)
{
    flag_add(param, 1);
}

static void use_key_and_pthread_exit(struct worker *self)
{
    use_key(self);
    pthread_cleanup_push(clean, &cleaned);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
}

static void use_key_and_exit_thread(struct worker *self)
{
    use_key(self);
    ExitThread(9);
}

static void run(worker_body body, DWORD code)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    destroyed = wrong_place = cleaned = 0;
    EXPECT_EQ(pthread_key_create(&key, destroy), 0);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, body, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(destroyed, WORKERS * ROUNDS);
    EXPECT_EQ(wrong_place, 0);
    for (int i = 0; i < WORKERS; i++) {
        DWORD seen = 77;

        EXPECT_OK(GetExitCodeThread(fleet_worker(fleet, i)->thread, &seen));
        EXPECT_EQ(seen, code);
    }
    fleet_destroy(fleet);
    pthread_key_delete(key);
}

TEST(PthreadKeyDestructors, run_at_the_workers_end)
{
    run(use_key, 0);
}

TEST(PthreadKeyDestructors, exit_thread)
{
    run(use_key_and_exit_thread, 9);
}

TEST(PthreadKeyDestructors, pthread_exit_in_worker)
{
    run(use_key_and_pthread_exit, 0);
    EXPECT_EQ(cleaned, WORKERS);
}
