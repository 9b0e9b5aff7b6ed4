/* SPDX-License-Identifier: MIT
 *
 * kernel_share.c - a program on kernel threads says how many processors it wants, and keeps to those that
 * it is granted. The test is the allocator.
 */
#include "only_program.h"

enum { SOME_LOOKS = 1000, MANY_LOOKS = 100000, STOPS = 20, QUIET_MS = 200 };

static BOOL start_program(void (*first)(void *))
{
    if (!start_only_program(FT_KERNEL, first))
        return FALSE;
    EXPECT_EQ(next_wish(-1), 1);
    grant(one | other);
    return TRUE;
}

static volatile LONG step;
static struct ft_lock lock;
static struct ft_condition changed;
static int ready;

static void until_step(LONG number)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (step < number && GetTickCount64() < until)
        SwitchToThread();
}

static void wait_and_compute(void *arg)
{
    until_step(1);
    ft_acquire(&lock);
    while (!ready)
        ft_wait(&changed, &lock);
    ft_release(&lock);
    until_step(3);
}

static void signal_and_join(void *arg)
{
    struct ft_thread *second;

    ft_lock_init(&lock);
    ft_condition_init(&changed);
    second = ft_fork(wait_and_compute, NULL);
    ASSERT_THAT(second, "no thread");
    until_step(2);
    ft_acquire(&lock);
    ready = TRUE;
    ft_signal(&changed);
    ft_release(&lock);
    until_step(4);
    ft_join(second);
    until_step(5);
}

static void go_to_step(LONG number)
{
    InterlockedExchange(&step, number);
}

/* A thread more, a wait for a condition and its end, the end of a thread, a join that has nothing to wait for. */
TEST(kernel_threads, those_that_can_run_are_wanted)
{
    step = 0;
    ready = FALSE;
    if (!start_program(signal_and_join))
        SKIP("one processor only");
    EXPECT_EQ(next_wish(1), 2);
    go_to_step(1);
    EXPECT_EQ(next_wish(2), 1);
    go_to_step(2);
    EXPECT_EQ(next_wish(1), 2);
    go_to_step(3);
    EXPECT_EQ(next_wish(2), 1);
    go_to_step(5);
    end_only_program();
    EXPECT_GE(only_counts.hints, 5);
    EXPECT_EQ(only_counts.given_up, 0);
}

static void compute_until_step_2(void *arg)
{
    until_step(2);
}

static void join_one_that_computes(void *arg)
{
    struct ft_thread *second = ft_fork(compute_until_step_2, NULL);

    ASSERT_THAT(second, "no thread");
    until_step(1);
    ft_join(second);
    until_step(3);
}

TEST(kernel_threads, who_waits_for_an_end_is_not_wanted)
{
    step = 0;
    if (!start_program(join_one_that_computes))
        SKIP("one processor only");
    EXPECT_EQ(next_wish(1), 2);
    go_to_step(1);
    EXPECT_EQ(next_wish(2), 1);
    go_to_step(3);
    end_only_program();
}

/* ---- Where it runs --------------------------------------------------------------------------- */

static volatile LONG64 seen; /* on these processors */
static volatile LONG looks[PROCESSORS];
static volatile LONG enough;

static void look_where(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (!enough && GetTickCount64() < until) {
        InterlockedOr64(&seen, (LONG64)1 << GetCurrentProcessorNumber());
        InterlockedIncrement((volatile LONG *)arg);
    }
}

static void two_that_look(void *arg)
{
    struct ft_thread *second = ft_fork(look_where, (void *)(ULONG_PTR)&looks[1]);

    ASSERT_THAT(second, "no thread");
    look_where((void *)(ULONG_PTR)&looks[0]);
    ft_join(second);
}

static BOOL both_look_on(LONG much)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;
    LONG from[PROCESSORS] = {looks[0], looks[1]};

    while (GetTickCount64() < until) {
        if (looks[0] - from[0] >= much && looks[1] - from[1] >= much)
            return TRUE;
        Sleep(1);
    }
    return FALSE;
}

/* Within the limit the process's affinity is this, and both threads run for long on these processors, and on
 * no others. The first look of each may be from before. */
static BOOL both_come_to(DWORD_PTR processors)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (GetTickCount64() < until) {
        if (ft_machine() == processors && both_look_on(1)) {
            InterlockedExchange64(&seen, 0);
            if (both_look_on(MANY_LOOKS) && (DWORD_PTR)seen == processors)
                return TRUE;
        }
        Sleep(1);
    }
    return FALSE;
}

/* At some moment within the limit neither has run for a while. On a busy machine they may go on
 * after a shorter one. */
static BOOL both_stop(void)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (GetTickCount64() < until) {
        LONG last[PROCESSORS] = {looks[0], looks[1]};

        Sleep(QUIET_MS);
        if (looks[0] == last[0] && looks[1] == last[1])
            return TRUE;
    }
    return FALSE;
}

static BOOL keep_to_one_after_the_other(void)
{
    grant(one);
    if (!both_come_to(one))
        return FALSE;
    grant(other);
    return both_come_to(other);
}

static BOOL stop_and_go_on(void)
{
    for (int i = 0; i < STOPS; i++) {
        grant(0);
        if (i == 0 && !both_stop())
            return FALSE;
        grant(i % 2 ? one : one | other);
        if (!both_look_on(SOME_LOOKS))
            return FALSE;
    }
    return both_come_to(one);
}

TEST(kernel_threads, keep_to_what_is_granted)
{
    looks[0] = looks[1] = enough = 0;
    if (!start_program(two_that_look))
        SKIP("one processor only");
    EXPECT_EQ(next_wish(1), 2);
    EXPECT_EQ(keep_to_one_after_the_other() && stop_and_go_on(), TRUE);
    InterlockedExchange(&enough, TRUE);
    end_only_program();
    EXPECT_EQ(only_counts.allocator_lost, FALSE);
    /* One, then the other; that one, and then, in turn, both and one. */
    EXPECT_EQ(only_counts.given_up, 1 + 1 + 1 + STOPS / 2 * 2 + (STOPS / 2 - 1));
}

TEST(kernel_threads, that_are_stopped_go_on_when_the_allocator_ends)
{
    looks[0] = looks[1] = enough = 0;
    if (!start_program(two_that_look))
        SKIP("one processor only");
    EXPECT_EQ(both_look_on(SOME_LOOKS), TRUE);
    grant(0);
    EXPECT_EQ(both_stop(), TRUE);
    end_allocating();
    EXPECT_EQ(both_look_on(SOME_LOOKS), TRUE);
    InterlockedExchange(&enough, TRUE);
    end_only_program();
    EXPECT_EQ(only_counts.allocator_lost, TRUE);
}
