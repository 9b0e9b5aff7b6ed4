/* SPDX-License-Identifier: MIT
 *
 * steady_calls.c - a worker that sleeps in a system call which the filter does not stop gives its
 * processor back all the same, if UMSSHIM_FAULTS=1 asks for that and no signal can cut the call
 * short: Blocked, payload 1.
 *
 * The calls are membarrier, which waits some milliseconds for all processors of the machine, and
 * mlock of a page from a slow file system.
 *
 * modes: UMSSHIM_FAULTS=1, UMSSHIM_FAULTS=1 UMSSHIM_FRONT=0
 * with: seen_faults.c, ../support/slow_file.c
 * options: SERIAL
 */
#include "bare_call.h"
#include "fleet.h"
#include "gtest_c.h"
#include "seen_faults.h"
#include "slow_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    NOTICED = 3,
    LIMIT_US = 10000000,
    READ_US = 20000,
    STEP = 8,
    ASK_WHICH = 0,
    ALL_PROCESSORS = 1
};

static void begin(void)
{
    atomic_store(&faults_over, false);
    atomic_store(&faults_seen, 0);
    atomic_store(&fault_since, 0);
    atomic_store(&soonest_seen_us, 1000000);
}

static bool membarrier_is_there(void)
{
    return syscall(SYS_membarrier, ASK_WHICH, 0, 0) > 0;
}

/* One worker sleeps in calls and never yields, the other sees it. */
static void run_two(worker_body sleeping)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    begin();
    fleet_add(fleet, sleeping, NULL);
    fleet_add(fleet, see_faults, NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_GE(atomic_load(&faults_seen), NOTICED);
    EXPECT_GE(fleet_counts(fleet).blocked, NOTICED);
    EXPECT_EQ(fleet_counts(fleet).traps, 0); /* none with payload bit 0 clear */
    printf("another worker ran %ld us after the beginning of a call\n",
           atomic_load(&soonest_seen_us));
    fleet_destroy(fleet);
}

static void bare_barriers(struct worker *self)
{
    long began = now_us();

    while (atomic_load(&faults_seen) < NOTICED && now_us() - began < LIMIT_US) {
        atomic_store(&fault_since, now_us());
        EXPECT_EQ(bare_call(SYS_membarrier, ALL_PROCESSORS, NULL, 0), 0);
        atomic_store(&fault_since, 0);
    }
    atomic_store(&faults_over, true);
}

TEST(SteadyCalls, by_an_instruction_of_the_programs)
{
    if (!membarrier_is_there())
        SKIP("this kernel has no membarrier");
    run_two(bare_barriers);
}

static void on_stack_fault(int number)
{
}

/* The signal that stops workers is a real-time one then, and its number a high one. */
TEST(SteadyCalls, where_the_program_handles_the_usual_signal)
{
    struct sigaction action;

    if (!membarrier_is_there())
        SKIP("this kernel has no membarrier");
    memset(&action, 0, sizeof action);
    action.sa_handler = on_stack_fault;
    if (sigaction(SIGSTKFLT, &action, NULL) != 0)
        SKIP("another test was first in this process");
    run_two(bare_barriers);
}

/* errno and the result are the call's, and the worker's. */
static void barriers_of_libc(struct worker *self)
{
    long began = now_us();

    for (int i = 0; atomic_load(&faults_seen) < NOTICED && now_us() - began < LIMIT_US; i++) {
        int bad = i % 2;

        errno = 0;
        atomic_store(&fault_since, now_us());
        long result = syscall(SYS_membarrier, bad ? 1 << 30 : ALL_PROCESSORS, 0, 0);
        atomic_store(&fault_since, 0);
        EXPECT_EQ(result, bad ? -1 : 0);
        EXPECT_EQ(errno, bad ? EINVAL : 0);
    }
    atomic_store(&faults_over, true);
}

TEST(SteadyCalls, by_libc)
{
    if (!membarrier_is_there())
        SKIP("this kernel has no membarrier");
    run_two(barriers_of_libc);
}

static unsigned char *slow_pages;

static void lock_slow_pages(struct worker *self)
{
    for (int i = 1; i < SLOW_FILE_PAGES / STEP && atomic_load(&faults_seen) < NOTICED; i++) {
        unsigned char *page = slow_pages + i * STEP * PAGE;

        atomic_store(&fault_since, now_us());
        EXPECT_EQ(mlock(page, PAGE), 0);
        atomic_store(&fault_since, 0);
        EXPECT_EQ(*page, i * STEP % 251 + 1);
        EXPECT_EQ(munlock(page, PAGE), 0);
    }
    atomic_store(&faults_over, true);
}

TEST(SteadyCalls, that_brings_a_page)
{
    struct slow_file slow;
    const char *refusal = slow_file_make(&slow, READ_US);
    int fd;

    if (refusal)
        SKIP("%s", refusal);
    fd = open(slow.path, O_RDONLY | O_CLOEXEC);
    slow_pages = mmap(NULL, SLOW_FILE_PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT_NE(slow_pages, MAP_FAILED);
    if (slow_pages != MAP_FAILED)
        run_two(lock_slow_pages);
    munmap(slow_pages, SLOW_FILE_PAGES * PAGE);
    close(fd);
    slow_file_drop(&slow);
}

/* ---- Ended meanwhile ----------------------------------------------------------------------------------- */

static struct worker *victim;

static void call_for_ever(struct worker *self)
{
    for (;;) {
        atomic_store(&fault_since, now_us());
        bare_call(SYS_membarrier, ALL_PROCESSORS, NULL, 0);
        atomic_store(&fault_since, 0);
    }
}

/* The scheduler's entry point calls it. At the victim's first call that was noticed it ends the
 * victim. */
static void end_in_call(const struct activation *activation, void *unused)
{
    if (activation->reason == UmsSchedulerThreadBlocked && activation->who == victim &&
        !atomic_exchange(&faults_over, true))
        TerminateThread(victim->thread, 7);
}

TEST(SteadyCalls, a_worker_that_is_ended_in_one)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    DWORD code = 0;

    if (!membarrier_is_there())
        SKIP("this kernel has no membarrier");
    ASSERT_NE(fleet, NULL);
    begin();
    victim = fleet_add(fleet, call_for_ever, NULL);
    fleet_add(fleet, see_faults, NULL);
    fleet_set_hook(fleet, end_in_call, NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_OK(GetExitCodeThread(victim->thread, &code));
    EXPECT_EQ(code, 7);
    fleet_destroy(fleet);
}
