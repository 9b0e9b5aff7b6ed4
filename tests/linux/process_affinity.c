/* SPDX-License-Identifier: MIT
 *
 * process_affinity.c - SetProcessAffinityMask reaches threads that are made meanwhile.
 *
 * modes: default
 */
#include "child.h"
#include "gtest_c.h"
#include "thread_chains.h"

#include <windows.h>

#include <sched.h>

enum { CHANGES = 60, LIMIT_MS = 20000 };

static DWORD_PTR both, first;

static void change_processors(int number)
{
    EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), number % 2 ? first : both));
}

static bool has_processors(int number)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == (number % 2 ? 1 : 2);
}

static int change_meanwhile(void *unused)
{
    change_processors(0);
    EXPECT_EQ(chains_missed(change_processors, has_processors, CHANGES), 0);
    return 0;
}

static DWORD WINAPI alternate(void *unused)
{
    for (int i = 0; i < 4 * CHANGES; i++)
        change_processors(i);
    return 0;
}

/* Two threads change the process's affinity again and again. Whichever was last, all threads have
 * what the process is said to have. */
static int change_from_two(void *unused)
{
    HANDLE both_ends[2];
    DWORD_PTR process = 0, system = 0;

    for (int i = 0; i < 2; i++)
        both_ends[i] = CreateThread(NULL, 0, alternate, NULL, 0, NULL);
    EXPECT_EQ(WaitForMultipleObjects(2, both_ends, TRUE, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &process, &system));
    EXPECT_EQ(has_processors(process == first), true);
    return 0;
}

static void in_a_child(int (*part)(void *))
{
    DWORD_PTR process = 0, system = 0;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &process, &system));
    first = process & -process;
    both = first | ((process & ~first) & -(process & ~first));
    if (both == first)
        SKIP("there is one processor");
    EXPECT_IN_CHILD(part, NULL, LIMIT_MS);
}

TEST(ProcessAffinity, changed_while_threads_make_others_and_end)
{
    in_a_child(change_meanwhile);
}

TEST(ProcessAffinity, changed_by_two_at_once)
{
    in_a_child(change_from_two);
}
