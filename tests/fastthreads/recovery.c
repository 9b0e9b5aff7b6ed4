/* SPDX-License-Identifier: MIT
 *
 * recovery.c - a thread that is stopped inside a critical section of the package stalls nobody.
 *
 * The tests enter the section themselves, as no call would do it, and block or stand still inside.
 */
#include "gtest_c.h"
#include "package.h"

#include <string.h>

enum { OTHERS = 20, STOPPED_MS = 30, LIMIT_MS = 20000 };

static struct ft_statistics counts;
static volatile LONG inside;
static volatile LONG ran;
static LONG ran_meanwhile;

static void block_inside(void *arg)
{
    struct ft_thread *self = ft__self();
    struct processor *here = atomic_load(&self->where);

    spin_enter(&here->lock, self);
    inside = 1;
    Sleep(STOPPED_MS); /* the upcall finds the lock of its own ready list taken */
    inside = 0;
    spin_leave(&here->lock, self);
    ran_meanwhile = ran;
}

static void count(void *arg)
{
    InterlockedIncrement(&ran);
}

/* Finished threads, to be used again: those forked next are ready at once. */
static void make_threads(void)
{
    struct ft_thread *threads[OTHERS + 1];

    for (int i = 0; i <= OTHERS; i++) {
        threads[i] = ft_fork(count, NULL);
        ASSERT_THAT(threads[i], "fork %d", i);
    }
    for (int i = 0; i <= OTHERS; i++)
        ft_join(threads[i]);
    ran = 0;
}

static void with_a_blocked_holder(void *arg)
{
    struct ft_thread *threads[OTHERS + 1];

    make_threads();
    for (int i = 0; i < OTHERS; i++)
        threads[i] = ft_fork(count, NULL);
    threads[OTHERS] = ft_fork(block_inside, NULL); /* the newest: it runs first */
    for (int i = OTHERS; i >= 0; i--) {
        ASSERT_THAT(threads[i], "fork %d", i);
        ft_join(threads[i]);
    }
}

static void run(int processors, void (*first)(void *))
{
    struct ft_options options = {.ground = FT_UMS, .processors = processors};
    DWORD error = ft_run(&options, first, NULL, &counts);

    EXPECT_EQ(error, 0);
}

TEST(recovery, a_holder_that_blocked_is_continued_first)
{
    for (int processors = 1; processors <= 3; processors++) {
        ran = 0;
        run(processors, with_a_blocked_holder);
        EXPECT_EQ(ran, OTHERS);
        if (processors > 1)
            continue;
        EXPECT_GE(counts.recoveries, 1);
        /* At the end of its section it came back to the loop, and all that were ready went first. */
        EXPECT_GE(counts.returns, 1);
        EXPECT_EQ(ran_meanwhile, OTHERS);
    }
}

/* A lock's guard is no processor's lock: those that want it are threads, and let others run. */
static struct ft_lock lock;
static struct ft_condition condition;
static HANDLE wanted;
static volatile LONG signallers;

static void block_in_guard(void *arg)
{
    struct spin *guard = (struct spin *)(void *)&condition; /* its first member */

    spin_enter(guard, ft__self());
    inside = 1;
    EXPECT_EQ(WaitForSingleObject(wanted, LIMIT_MS), WAIT_OBJECT_0);
    inside = 0;
    spin_leave(guard, ft__self());
}

static void signal_it(void *arg)
{
    EXPECT_THAT(inside, "the guard is held by a thread that waits");
    InterlockedIncrement(&signallers);
    ft_signal(&condition);
    InterlockedIncrement(&ran);
}

static void with_a_blocked_guard(void *arg)
{
    struct ft_thread *holder;
    struct ft_thread *threads[2];

    ft_lock_init(&lock);
    ft_condition_init(&condition);
    holder = ft_fork(block_in_guard, NULL);
    ASSERT_THAT(holder, "fork");
    while (!inside)
        ft_yield();
    for (int i = 0; i < 2; i++)
        threads[i] = ft_fork(signal_it, NULL);
    while (signallers < 2) /* comes back only where those that want the guard let this one run */
        ft_yield();
    EXPECT_THAT(inside && ran == 0, "they have the guard without a wait");
    SetEvent(wanted);
    for (int i = 0; i < 2; i++) {
        ASSERT_THAT(threads[i], "fork %d", i);
        ft_join(threads[i]);
    }
    ft_join(holder);
}

TEST(recovery, threads_that_want_a_stopped_guard_let_others_run)
{
    wanted = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(wanted);
    ran = signallers = 0;
    run(1, with_a_blocked_guard);
    EXPECT_EQ(ran, 2);
    CloseHandle(wanted);
}

/* ---- Suspended at random --------------------------------------------------------------------- */

static volatile LONG stop;
static volatile LONG suspensions;
static HANDLE victim;

static DWORD WINAPI tormentor(LPVOID param)
{
    while (!stop) {
        if (SuspendThread(victim) != (DWORD)-1) {
            Sleep(0);
            ResumeThread(victim);
            suspensions++;
        }
        Sleep(1);
    }
    return 0;
}

static void fork_a_lot(void *arg)
{
    struct ft_thread *self = ft__self();
    ULONGLONG until = GetTickCount64() + 500;
    HANDLE thread;
    LONG forked = 0;

    victim = self->handle;
    stop = 0;
    thread = CreateThread(NULL, 0, tormentor, NULL, 0, NULL);
    ASSERT_THAT(thread, "a plain thread");
    while (GetTickCount64() < until) {
        struct ft_thread *made = ft_fork(count, NULL);

        ASSERT_THAT(made, "fork %ld", (long)forked);
        forked++;
        ft_join(made);
    }
    stop = 1;
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(thread);
    EXPECT_EQ(ran, forked);
}

TEST(recovery, suspended_anywhere_nothing_is_lost)
{
    for (int processors = 1; processors <= 2; processors++) {
        ran = 0;
        suspensions = 0;
        run(processors, fork_a_lot);
        EXPECT_GE(suspensions, 1);
    }
}
