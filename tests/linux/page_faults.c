/* SPDX-License-Identifier: MIT
 *
 * page_faults.c - a worker that sleeps in a page fault gives its processor back, if
 * UMSSHIM_FAULTS=1 asks for that.
 *
 * The faults are slow because of the address space's lock: while a plain thread changes the
 * protection of a large range, each fault in the range sleeps until the change is done. In the
 * range every 16th page is a hole; the others are the zero page, because the test only reads them.
 * A worker touches a hole only in the midst of such a change: else it would have touched all holes
 * before it met a change.
 *
 * modes: UMSSHIM_FAULTS=1, UMSSHIM_FAULTS=1 UMSSHIM_FRONT=0, UMSSHIM_FAULTS=1 UMSSHIM_RING=0
 * with: seen_faults.c
 * options: SERIAL
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "seen_faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    HOLES = 16,
    NOTICED = 3,
    WORKERS = 8,
    WELL_INSIDE_US = 200,
    LONG_ENOUGH_US = 30000,
    LIMIT_US = 10000000
};

static const size_t least_bytes = (size_t)1 << 26, most_bytes = (size_t)1 << 30;
static size_t range_bytes;
static volatile char *range;
static atomic_size_t next_hole;
static atomic_long changing_since; /* microseconds; 0: nothing is changed now */

/* One call for many faults; kernels before 5.14 do not have it. */
static void read_pages(char *first, size_t pages)
{
    if (madvise(first, pages * PAGE, MADV_POPULATE_READ) == 0)
        return;
    for (size_t page = 0; page < pages; page++)
        (void)*(volatile char *)(first + page * PAGE);
}

static void *map_range(void)
{
    char *memory = mmap(NULL, range_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, range_bytes, MADV_NOHUGEPAGE);
    for (size_t page = 0; page < range_bytes / PAGE; page += HOLES)
        read_pages(memory + (page + 1) * PAGE, HOLES - 1);
    return memory;
}

static long change_us(int more)
{
    long began = now_us();

    EXPECT_EQ(mprotect((void *)range, range_bytes, PROT_READ | PROT_WRITE | more), 0);
    return now_us() - began;
}

/* As large as it must be for a change to take its time. */
static void make_range(void)
{
    long us;

    range_bytes = least_bytes;
    range = map_range();
    ASSERT_NE(range, NULL);
    us = change_us(PROT_EXEC);
    if (us < LONG_ENOUGH_US) {
        munmap((void *)range, range_bytes);
        range_bytes *= (size_t)(LONG_ENOUGH_US / (us + 1) + 1);
        range_bytes = range_bytes < most_bytes ? range_bytes : most_bytes;
        range = map_range();
        ASSERT_NE(range, NULL);
    }
    atomic_store(&faults_over, false);
    atomic_store(&faults_seen, 0);
    atomic_store(&fault_since, 0);
    atomic_store(&soonest_seen_us, 1000000);
    atomic_store(&next_hole, 0);
    atomic_store(&changing_since, 0);
}

static void *keep_changing(void *unused)
{
    for (int more = 0; !atomic_load(&faults_over); more ^= PROT_EXEC) {
        atomic_store(&changing_since, now_us());
        change_us(more);
        atomic_store(&changing_since, 0);
    }
    return unused;
}

static bool in_the_midst_of_another_change(long last)
{
    long since = atomic_load(&changing_since);

    return since && since != last && now_us() - since > WELL_INSIDE_US;
}

/* One hole for each change: on a busy machine the thread that changes may have to wait for a
 * processor behind a change that is over. A hole that is touched then does not sleep, and all of
 * them would be used up meanwhile. */
static void fault_once(long *last)
{
    size_t hole = atomic_fetch_add(&next_hole, 1) % (range_bytes / PAGE / HOLES);

    for (long began = now_us();
         !in_the_midst_of_another_change(*last) && !atomic_load(&faults_over);)
        if (now_us() - began > LIMIT_US) {
            FAIL("nothing was changed for %d s", LIMIT_US / 1000000);
            return;
        }
    *last = atomic_load(&changing_since);
    atomic_store(&fault_since, now_us());
    range[hole * HOLES * PAGE] = 1;
    atomic_store(&fault_since, 0);
}

/* Never yields: whoever runs meanwhile runs because of a fault. */
static void fault_often(struct worker *self)
{
    long began = now_us(), last = 0;

    while (atomic_load(&faults_seen) < NOTICED && now_us() - began < LIMIT_US)
        fault_once(&last);
    atomic_store(&faults_over, true);
}

static void run_two(worker_body faulting, worker_body seeing)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    pthread_t changer;

    ASSERT_NE(fleet, NULL);
    make_range();
    fleet_add(fleet, faulting, NULL);
    fleet_add(fleet, seeing, NULL);
    ASSERT_EQ(pthread_create(&changer, NULL, keep_changing, NULL), 0);
    EXPECT_OK(fleet_run(fleet));
    atomic_store(&faults_over, true);
    pthread_join(changer, NULL);
    EXPECT_GE(atomic_load(&faults_seen), NOTICED);
    EXPECT_GE(fleet_counts(fleet).traps, NOTICED); /* Blocked, with bit 0 clear */
    fleet_destroy(fleet);
    munmap((void *)range, range_bytes);
}

TEST(PageFaults, another_worker_runs_meanwhile)
{
    run_two(fault_often, see_faults);
    printf("another worker ran %ld us after the beginning of a fault\n",
           atomic_load(&soonest_seen_us));
}

/* Several at once, on two schedulers, each with waits of other kinds between its faults. */
static void fault_and_wait(struct worker *self)
{
    long began = now_us(), last = 0;

    for (int i = 0; now_us() - began < 1000000; i++) {
        fault_once(&last);
        if ((i + self->index) % 3 == 0)
            UmsThreadYield(NULL);
        else if ((i + self->index) % 3 == 1)
            usleep(100);
        else
            Sleep(1);
    }
}

TEST(PageFaults, of_many_workers)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);
    pthread_t changer;

    ASSERT_NE(fleet, NULL);
    make_range();
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, fault_and_wait, NULL);
    ASSERT_EQ(pthread_create(&changer, NULL, keep_changing, NULL), 0);
    EXPECT_OK(fleet_run(fleet));
    atomic_store(&faults_over, true);
    pthread_join(changer, NULL);
    EXPECT_GT(fleet_counts(fleet).traps, 0);
    fleet_destroy(fleet);
    munmap((void *)range, range_bytes);
}

/* ---- The watch itself ------------------------------------------------------------------------------- */

enum { NAP_MS = 500 };

static DWORD WINAPI nap(LPVOID unused)
{
    Sleep(NAP_MS);
    return 0;
}

static void *count_waits(void *unused)
{
    struct rusage before, after;

    usleep(100000);
    getrusage(RUSAGE_SELF, &before);
    usleep(300000);
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, 30); /* a look in each millisecond would be 300 */
    return unused;
}

TEST(PageFaults, nobody_looks_while_all_sleep)
{
    PUMS_COMPLETION_LIST list;
    struct bare worker;
    pthread_t counter;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_THAT(bare_create_arrived(&worker, list, nap, NULL), "no worker");
    ASSERT_EQ(pthread_create(&counter, NULL, count_waits, NULL), 0);
    bare_drive(list, &worker.context, 1, 1);
    pthread_join(counter, NULL);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void nap_and_fault(struct worker *self)
{
    Sleep(100);
    fault_often(self);
}

static void nap_and_see(struct worker *self)
{
    Sleep(100);
    see_faults(self);
}

TEST(PageFaults, somebody_looks_again_afterwards)
{
    run_two(nap_and_fault, nap_and_see);
}

/* ---- Ended and suspended meanwhile ------------------------------------------------------------------- */

static void fault_for_ever(struct worker *self)
{
    long last = 0;

    for (;;)
        fault_once(&last);
}

static struct worker *victim;

static void end_it(struct worker *self)
{
    see_faults(self);
}

/* The scheduler's entry point calls it. At the first fault that was noticed it ends the victim. */
static void end_in_fault(const struct activation *activation, void *unused)
{
    static bool ended;

    if (!ended && activation->reason == UmsSchedulerThreadBlocked && !(activation->payload & 1)) {
        ended = true;
        TerminateThread(victim->thread, 7);
        atomic_store(&faults_over, true);
    }
}

TEST(PageFaults, a_worker_that_is_ended_in_one)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    pthread_t changer;
    DWORD code = 0;

    ASSERT_NE(fleet, NULL);
    make_range();
    victim = fleet_add(fleet, fault_for_ever, NULL);
    fleet_add(fleet, end_it, NULL);
    fleet_set_hook(fleet, end_in_fault, NULL);
    ASSERT_EQ(pthread_create(&changer, NULL, keep_changing, NULL), 0);
    EXPECT_OK(fleet_run(fleet));
    atomic_store(&faults_over, true);
    pthread_join(changer, NULL);
    EXPECT_OK(GetExitCodeThread(victim->thread, &code));
    EXPECT_EQ(code, 7);
    fleet_destroy(fleet);
    munmap((void *)range, range_bytes);
}
