/* SPDX-License-Identifier: MIT
 *
 * fiber_ends.c - a thread exits, is cancelled and forks in a fiber; the guard page below a fiber's
 * stack; and mistakes, which end the program with a line that names them.
 *
 * modes: ways, UMSSHIM_DETECT=0, second_unwinder
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "in_fiber.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

/* ---- pthread_exit and cancellation --------------------------------------------------------------- */

static int cleaned, handled;

static void clean(void *arg)
{
    flag_add(&cleaned, 1);
}

static void exit_here(void)
{
    pthread_cleanup_push(clean, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
}

static void wait_for_good(void)
{
    char byte;

    pthread_cleanup_push(clean, NULL);
    flag_set(&handled, 1);
    (void)!read(ends[0], &byte, 1);
    pthread_cleanup_pop(0);
}

static void *in_pthread(void *body)
{
    in_fiber((void (*)(void))body);
    return &cleaned; /* not reached */
}

TEST(FiberEnds, pthread_exit_and_cancel_in_a_pthread)
{
    void (*bodies[])(void) = {exit_here, wait_for_good};

    ASSERT_EQ(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result = NULL;
        cleaned = handled = 0;
        ASSERT_EQ(pthread_create(&thread, NULL, in_pthread, (void *)bodies[i]), 0);
        if (i) {
            EXPECT_OK(wait_until(&handled, 5000));
            EXPECT_EQ(pthread_cancel(thread), 0);
        }
        EXPECT_EQ(pthread_join(thread, &result), 0);
        EXPECT_EQ(result, i ? PTHREAD_CANCELED : NULL);
        EXPECT_EQ(cleaned, 1);
    }
    close(ends[0]);
    close(ends[1]);
}

static pthread_t cancelled;

static void ends_in_fiber(struct worker *self)
{
    cancelled = pthread_self();
    in_fiber((void (*)(void))self->arg);
    FAIL("the worker goes on");
}

static void cancels(struct worker *self)
{
    EXPECT_OK(yield_until(&handled));
    EXPECT_EQ(pthread_cancel(cancelled), 0);
}

TEST(FiberEnds, pthread_exit_and_cancel_in_a_worker)
{
    void (*bodies[])(void) = {exit_here, wait_for_good};

    ASSERT_EQ(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        struct fleet *fleet = fleet_create(1, 2, 0);
        ASSERT_NE(fleet, NULL);
        cleaned = handled = 0;
        fleet_add(fleet, ends_in_fiber, (void *)bodies[i]);
        if (i)
            fleet_add(fleet, cancels, NULL);
        fleet_run(fleet);
        EXPECT_EQ(cleaned, 1);
        fleet_destroy(fleet);
    }
    close(ends[0]);
    close(ends[1]);
}

/* ---- Fork ------------------------------------------------------------------------------------------ */

static DWORD index_of_values;
static int callbacks, forked_status;

static VOID NTAPI on_value(PVOID value)
{
    callbacks += (int)(intptr_t)value;
}

static VOID CALLBACK keep_a_value(LPVOID value)
{
    EXPECT_OK(FlsSetValue(index_of_values, value));
    for (;;)
        SwitchToFiber(base);
}

/* The child goes on in the fiber that forked; the one that nobody runs is there as well, with its values. */
static void fork_here(void)
{
    void *idle = CreateFiber(FIBER_STACK, keep_a_value, (void *)5);
    void *this = GetCurrentFiber(), *thread = base;
    int pid, status = -1;

    EXPECT_OK(FlsSetValue(index_of_values, (void *)100));
    base = this;
    SwitchToFiber(idle);
    pid = fork();
    if (pid == 0) {
        int failures = tc_failures();
        SwitchToFiber(idle);
        callbacks = 0;
        DeleteFiber(idle);
        failures += callbacks != 5 || FlsGetValue(index_of_values) != (void *)100;
        failures += GetCurrentFiber() != this;
        FlsFree(index_of_values);
        failures += callbacks != 1105; /* the thread's own fiber has 1000 */
        _exit(failures != 0);
    }
    EXPECT_GT(pid, 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    forked_status = status;
    DeleteFiber(idle);
    base = thread;
}

static void fork_in_fiber(struct worker *self)
{
    EXPECT_OK(FlsSetValue(index_of_values, (void *)1000));
    in_fiber(fork_here);
    EXPECT_EQ(forked_status, 0);
    EXPECT_OK(FlsSetValue(index_of_values, NULL));
}

TEST(FiberEnds, fork_in_a_fiber)
{
    index_of_values = FlsAlloc(on_value);
    fork_in_fiber(NULL);
    FLEET_RUN(1, 0, {1, fork_in_fiber, NULL});
}

/* ---- The end of the stack, and mistakes ------------------------------------------------------------ */

static volatile int zero;

static int overflow(int depth)
{
    volatile char frame[4096];

    frame[0] = (char)depth;
    if (zero)
        return 0;
    return overflow(depth + 1) + frame[0];
}

static void run_over(void)
{
    zero = overflow(0);
}

static void overflow_in_worker(struct worker *self)
{
    in_fiber(run_over);
}

static int overflow_in_child(void *kind)
{
    struct rlimit none = {0, 0};
    struct fleet *fleet;

    setrlimit(RLIMIT_CORE, &none);
    if (!kind)
        in_fiber(run_over);
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, overflow_in_worker, NULL);
    fleet_run(fleet);
    return 1;
}

TEST(FiberEnds, stack_overflow)
{
    struct child_result result = child_run(overflow_in_child, NULL, 10000);

    EXPECT_CHILD_SIGNAL(result, SIGSEGV);
    result = child_run(overflow_in_child, "worker", 10000);
    EXPECT_CHILD_SIGNAL(result, SIGSEGV);
}

static int switch_without_converting(void *unused)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    SwitchToFiber(CreateFiber(FIBER_STACK, run_body, NULL));
    return 1;
}

static void *switch_to_base(void *unused)
{
    ConvertThreadToFiber(NULL);
    SwitchToFiber(base);
    return NULL;
}

static int switch_to_one_that_runs(void *unused)
{
    pthread_t thread;

    base = ConvertThreadToFiber(NULL);
    pthread_create(&thread, NULL, switch_to_base, NULL);
    pthread_join(thread, NULL);
    return 1;
}

TEST(FiberEnds, mistakes_are_named)
{
    struct child_result result = child_run(switch_without_converting, NULL, 10000);

    EXPECT_CHILD_SIGNAL(result, SIGABRT);
    EXPECT_THAT(strstr(result.output, "call ConvertThreadToFiber first"), "it says: %s",
                result.output);
    result = child_run(switch_to_one_that_runs, NULL, 10000);
    EXPECT_CHILD_SIGNAL(result, SIGABRT);
    EXPECT_THAT(strstr(result.output, "another thread runs"), "it says: %s", result.output);
}
