/* SPDX-License-Identifier: MIT
 *
 * another_unwinder.c - threads, workers and schedulers end by pthread_exit and are cancelled in a
 * process where libunwind's functions stand before libgcc's of the same names (LD_PRELOAD). Libc
 * takes libgcc's all the same. No frame of the library's on an unwound stack may bring in
 * libunwind's.
 *
 * modes: second_unwinder
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static int waits[2]; /* nobody writes */
static int cleaned, ready;
static pthread_t waiter;

static void clean(void *unused)
{
    flag_add(&cleaned, 1);
}

static void exit_here(void)
{
    pthread_cleanup_push(clean, NULL);
    pthread_exit(&cleaned);
    pthread_cleanup_pop(0);
}

static void wait_to_be_cancelled(void)
{
    char byte;

    waiter = pthread_self();
    pthread_cleanup_push(clean, NULL);
    flag_set(&ready, 1);
    (void)!read(waits[0], &byte, 1);
    pthread_cleanup_pop(0);
}

static bool begin(void)
{
    cleaned = ready = 0;
    return dlsym(RTLD_DEFAULT, "__libunwind_Unwind_GetIP") && pipe(waits) == 0;
}

static void end(int cleanups)
{
    EXPECT_EQ(cleaned, cleanups);
    close(waits[0]);
    close(waits[1]);
}

static void *exits(void *unused)
{
    exit_here();
    return unused;
}

static void *is_cancelled(void *unused)
{
    wait_to_be_cancelled();
    return unused;
}

TEST(AnotherUnwinder, threads)
{
    pthread_t one, other;
    void *result = NULL;

    ASSERT_OK(begin());
    ASSERT_EQ(pthread_create(&one, NULL, exits, NULL), 0);
    EXPECT_EQ(pthread_join(one, &result), 0);
    EXPECT_EQ(result, (void *)&cleaned);
    ASSERT_EQ(pthread_create(&other, NULL, is_cancelled, NULL), 0);
    EXPECT_OK(wait_until(&ready, 5000));
    EXPECT_EQ(pthread_cancel(other), 0);
    EXPECT_EQ(pthread_join(other, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    end(2);
}

static void worker_exits(struct worker *self)
{
    exit_here();
    FAIL("the worker goes on");
}

static void worker_waits(struct worker *self)
{
    wait_to_be_cancelled();
    FAIL("the worker goes on");
}

static void cancels(struct worker *self)
{
    EXPECT_OK(yield_until(&ready));
    EXPECT_EQ(pthread_cancel(waiter), 0);
}

TEST(AnotherUnwinder, workers)
{
    struct fleet *fleet;

    ASSERT_OK(begin());
    fleet = fleet_create(1, 3, 0);
    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, worker_exits, NULL);
    fleet_add(fleet, worker_waits, NULL);
    fleet_add(fleet, cancels, NULL);
    fleet_run(fleet);
    end(2);
    fleet_destroy(fleet);
}

static VOID CALLBACK entry_exits(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    EXPECT_EQ(reason, UmsSchedulerStartup);
    flag_set(param, 1);
    pthread_exit(&cleaned);
}

static void *schedules(void *list)
{
    pthread_cleanup_push(clean, NULL);
    ums_enter(list, entry_exits, &ready);
    pthread_cleanup_pop(0);
    return list;
}

/* The cleanup around the scheduler's mode runs as well: the whole thread ends. */
TEST(AnotherUnwinder, entry_point)
{
    PUMS_COMPLETION_LIST list;
    pthread_t thread;
    void *result = &list;

    ASSERT_OK(begin());
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_EQ(pthread_create(&thread, NULL, schedules, list), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_NE(result, (void *)list);
    EXPECT_EQ(ready, 1);
    EXPECT_OK(DeleteUmsCompletionList(list));
    end(1);
}
