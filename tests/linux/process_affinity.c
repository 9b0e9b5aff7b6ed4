/* SPDX-License-Identifier: MIT
 *
 * process_affinity.c - SetProcessAffinityMask reaches threads that are made meanwhile.
 */
#include "child.h"
#include "gtest_c.h"
#include "thread_chains.h"

#include <windows.h>

#include <sched.h>
#include <unistd.h>

enum { CHANGES = 60, LIMIT_MS = 20000 };

static DWORD_PTR both, first;

static bool has_processors(int change)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == (change % 2 ? 1 : 2);
}

static int change_meanwhile(void *unused)
{
    (void)unused;
    EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), both));
    chains_start(has_processors);
    for (int i = 1; i <= CHANGES; i++) {
        chains_change_begin();
        EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), i % 2 ? first : both));
        chains_change_end(i);
        usleep(300);
    }
    EXPECT_EQ(chains_stop(), 0);
    return 0;
}

TEST(ProcessAffinity, changed_while_threads_make_others_and_end)
{
    DWORD_PTR process = 0, system = 0;
    struct child_result result;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &process, &system));
    first = process & -process;
    both = first | ((process & ~first) & -(process & ~first));
    if (both == first)
        SKIP("there is one processor");
    result = child_run(change_meanwhile, NULL, LIMIT_MS);
    EXPECT_CHILD_OK(result);
}
