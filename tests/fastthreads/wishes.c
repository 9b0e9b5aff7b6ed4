/* SPDX-License-Identifier: MIT
 *
 * wishes.c - a program says that it wants a processor for each thread that computes, whatever was given to it and
 * taken from it meanwhile.
 *
 * The allocator that the test plays gives what is wanted at once, and takes at once what is not. Each program starts
 * with one processor and forks, so that the other one comes, finds nothing yet, is said to be idle and taken away
 * while the thread that it is for arrives. Others compute meanwhile, or all that is over too soon.
 */
#include "only_program.h"

enum { PROGRAMS = 60, TOGETHER = 20000, BURNERS = 2 };

static volatile LONG counted[PROCESSORS];
static volatile LONG enough, cold;

static void count(void *arg)
{
    ULONGLONG until = GetTickCount64() + 2 * LIMIT_MS;

    while (!enough && GetTickCount64() < until)
        InterlockedIncrement((volatile LONG *)arg);
}

static void two_that_count(void *arg)
{
    struct ft_thread *second = ft_fork(count, (void *)(ULONG_PTR)&counted[1]);

    UNREFERENCED_PARAMETER(arg);
    ASSERT_THAT(second, "no thread");
    count((void *)(ULONG_PTR)&counted[0]);
    ft_join(second);
}

static DWORD WINAPI burn_main(LPVOID param)
{
    UNREFERENCED_PARAMETER(param);
    while (!cold)
        YieldProcessor();
    return 0;
}

/* Gives and takes until each of the two computes, on a processor of its own. What it wanted last, or -1. */
static int share_until_both_compute(void)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;
    LONG before[PROCESSORS] = {counted[0], counted[1]};
    int wish = -1;

    while (GetTickCount64() < until) {
        int now = hear_wish();

        if (now >= 0) {
            wish = now;
            grant(wish > 1 ? one | other : other);
            before[0] = counted[0];
            before[1] = counted[1];
        }
        if (wish == 2 && counted[0] - before[0] > TOGETHER && counted[1] - before[1] > TOGETHER)
            return wish;
    }
    return wish;
}

static BOOL both_come_to_compute(void)
{
    int wish;

    counted[0] = counted[1] = 0;
    InterlockedExchange(&enough, FALSE);
    EXPECT_EQ(start_only_program(FT_UMS, two_that_count), TRUE);
    wish = share_until_both_compute();
    EXPECT_EQ(wish, 2);
    EXPECT_GT(counted[0], TOGETHER);
    EXPECT_GT(counted[1], TOGETHER);
    InterlockedExchange(&enough, TRUE);
    end_only_program();
    return wish == 2;
}

TEST(wishes, one_processor_for_each_that_computes)
{
    HANDLE burners[BURNERS];
    DWORD_PTR machine = ft_machine();
    int programs = 0;

    if (!(machine & (machine - 1)))
        SKIP("one processor only");
    InterlockedExchange(&cold, FALSE);
    for (int i = 0; i < BURNERS; i++)
        EXPECT_OK(burners[i] = CreateThread(NULL, 0, burn_main, NULL, 0, NULL));
    while (programs < PROGRAMS && both_come_to_compute())
        programs++;
    InterlockedExchange(&cold, TRUE);
    WaitForMultipleObjects(BURNERS, burners, TRUE, LIMIT_MS);
    for (int i = 0; i < BURNERS; i++)
        CloseHandle(burners[i]);
    EXPECT_EQ(programs, PROGRAMS);
}
