/* SPDX-License-Identifier: MIT
 *
 * limited_crowd.c - many workers at once, up to a limit of the system's. From there on each
 * creation fails with ERROR_NOT_ENOUGH_MEMORY. The created workers block, are released and end, and
 * then a worker can be created again.
 *
 * UMSSHIM_STRESS_ALIVE is the number of workers that the test asks for: thirty thousand by hand,
 * with UMSSHIM_TEST_LIMIT=0. The test sets the limit when half of them exist, with room for a few
 * more.
 *
 * modes: default, UMSSHIM_DETECT=0, UMSSHIM_DETECT=traps UMSSHIM_FRONT=0, UMSSHIM_RING=0
 * options: LABELS stress, LIMIT 60
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_status.h"
#include "thread_limit.h"

#include <windows.h>

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANNOT = 77, TOO_LOW }; /* exit codes of the child */
enum {
    MOST_TO_FILL = 1 << 18,
    ALIVE = 500,
    STACK = 64 << 10,
    PAGE = 4096,
    SCHEDULERS = 2,
    SLOW_MS = 20,
    OTHERS = 100 /* threads that are no workers: schedulers, the engine's, the test's */
};

enum limit { THREADS, ADDRESS_SPACE, MAPPINGS, DESCRIPTORS, FROM_OUTSIDE };

struct plan {
    enum limit limit;
    int asked;
};

static int asked_for(void)
{
    const char *text = getenv("UMSSHIM_STRESS_ALIVE");

    return text ? atoi(text) : ALIVE;
}

/* ---- Workers --------------------------------------------------------------------------------------- */

static HANDLE gate;
static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE opened = CONDITION_VARIABLE_INIT;
static int is_open, released;
static int pipe_ends[2];

static void wait_for_event(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(gate, INFINITE), WAIT_OBJECT_0);
    flag_add(&released, 1);
}

static void wait_for_word(struct worker *self)
{
    int closed = 0;

    while (!flag_get(&is_open))
        EXPECT_OK(WaitOnAddress(&is_open, &closed, sizeof closed, INFINITE));
    flag_add(&released, 1);
}

static void wait_for_condition(struct worker *self)
{
    AcquireSRWLockExclusive(&lock);
    while (!flag_get(&is_open))
        EXPECT_OK(SleepConditionVariableSRW(&opened, &lock, INFINITE, 0));
    ReleaseSRWLockExclusive(&lock);
    flag_add(&released, 1);
}

/* Reads from the pipe, until the pipe's other end is closed. */
static void wait_for_pipe(struct worker *self)
{
    char byte;

    EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
    flag_add(&released, 1);
}

/* One worker in a hundred reads from the pipe: when the pipe is closed each reader wakes up. */
static worker_body body_of(int index)
{
    static const worker_body bodies[] = {wait_for_event, wait_for_word, wait_for_condition};

    return index % 100 == 50 ? wait_for_pipe : bodies[index % 3];
}

static void open_gate(void)
{
    AcquireSRWLockExclusive(&lock);
    flag_set(&is_open, 1);
    ReleaseSRWLockExclusive(&lock);
    WakeAllConditionVariable(&opened);
    WakeByAddressAll(&is_open);
    EXPECT_OK(SetEvent(gate));
    close(pipe_ends[1]);
}

static void end_at_once(struct worker *self)
{
    flag_add(&released, 1);
}

/* ---- Limits ---------------------------------------------------------------------------------------- */

static long status_of_ours(const char *name)
{
    long number = number_in_status(name);

    EXPECT_GE(number, 0);
    return number;
}

static long count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    long count = 0;

    for (int byte = getc(maps); byte != EOF; byte = getc(maps))
        count += byte == '\n';
    fclose(maps);
    return count;
}

static long most_mappings(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    long most = -1;

    EXPECT_EQ(fscanf(file, "%ld", &most), 1);
    fclose(file);
    return most;
}

/* From glibc 2.42 on a stack's guard is no mapping of its own, and stacks side by side are one. */
static bool stacks_are_mappings(void)
{
    int minor = 0;

    return sscanf(gnu_get_libc_version(), "2.%d", &minor) == 1 && minor < 42;
}

static char *filling;
static size_t filling_bytes;

/* The system's number is everybody's. So the process fills it up to this many: pages with another access, each between
 * two without any, are a mapping each. */
static void fill_mappings(long left)
{
    long pages = most_mappings() - count_mappings() - left;

    filling_bytes = (size_t)pages * PAGE;
    filling =
        mmap(NULL, filling_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(filling, MAP_FAILED);
    for (long i = 1; i < pages; i += 2)
        if (mprotect(filling + i * PAGE, PAGE, PROT_READ))
            break;
}

static void set_limit(int resource, long most)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(resource, &limit), 0);
    limit.rlim_cur = (rlim_t)most;
    EXPECT_EQ(setrlimit(resource, &limit), 0);
}

/* Sets the limit so that there is room for about so many more workers. */
static void put_in_the_way(enum limit limit, int room)
{
    switch (limit) {
    case THREADS:
        set_limit(RLIMIT_NPROC, status_of_ours("Threads") + room);
        break;
    case ADDRESS_SPACE:
        set_limit(RLIMIT_AS, (status_of_ours("VmSize") << 10) + (long)room * 2 * STACK);
        break;
    case MAPPINGS:
        fill_mappings(room * 2L);
        break;
    case DESCRIPTORS: /* the lowest that is free: the limit leaves none */
        set_limit(RLIMIT_NOFILE, dup(pipe_ends[0]));
        break;
    case FROM_OUTSIDE:
        break;
    }
}

static void lift(int resource)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(resource, &limit), 0);
    set_limit(resource, (long)limit.rlim_max);
}

static void take_away(enum limit limit)
{
    switch (limit) {
    case THREADS:
        lift(RLIMIT_NPROC);
        break;
    case ADDRESS_SPACE:
        lift(RLIMIT_AS);
        break;
    case MAPPINGS:
        EXPECT_EQ(munmap(filling, filling_bytes), 0);
        break;
    case DESCRIPTORS:
        lift(RLIMIT_NOFILE);
        break;
    case FROM_OUTSIDE:
        break;
    }
}

/* ---- The crowd ------------------------------------------------------------------------------------- */

struct crowd {
    struct plan plan;
    struct fleet *fleet;
    int created, refused;
};

static void create_until(struct crowd *crowd, int tried)
{
    for (int i = crowd->created + crowd->refused; i < tried && !tc_failures(); i++) {
        SetLastError(0);
        if (fleet_try_add(crowd->fleet, body_of(i), NULL)) {
            crowd->created++;
        } else {
            EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);
            crowd->refused++;
        }
    }
}

static void wait_until_all_are_blocked(struct crowd *crowd, DWORD ms)
{
    ULONGLONG end = GetTickCount64() + ms;

    for (int i = 0; i < crowd->created; i++)
        while (!__atomic_load_n(&fleet_worker(crowd->fleet, i)->blocked, __ATOMIC_ACQUIRE)) {
            if (GetTickCount64() > end) {
                FAIL("worker %d of %d is not blocked", i, crowd->created);
                return;
            }
            Sleep(1);
        }
}

/* A plain thread creates the workers. It waits for the schedulers first, which the limit must not
 * keep from starting. */
static DWORD WINAPI create_and_release(LPVOID arg)
{
    struct crowd *crowd = arg;
    int asked = crowd->plan.asked;
    DWORD limit_ms = (DWORD)(10000 + asked * SLOW_MS / 2);

    for (int i = 0; i < 10000 && fleet_counts(crowd->fleet).startups < SCHEDULERS; i++)
        Sleep(1);
    create_until(crowd, asked / 2);
    EXPECT_EQ(crowd->refused, 0);
    wait_until_all_are_blocked(crowd, limit_ms);
    put_in_the_way(crowd->plan.limit, asked / 5);
    create_until(crowd, asked);
    wait_until_all_are_blocked(crowd, limit_ms);
    EXPECT_EQ(flag_get(&released), 0);
    open_gate();
    for (int i = 0; i < asked + 1000 && flag_get(&released) < crowd->created; i++)
        Sleep(SLOW_MS);
    EXPECT_EQ(flag_get(&released), crowd->created);
    take_away(crowd->plan.limit);
    EXPECT_OK(fleet_try_add(crowd->fleet, end_at_once, NULL) != NULL);
    fleet_release(crowd->fleet);
    return 0;
}

/* The most threads that the test can allow itself: the hard limit counts, and not the soft one. */
static rlim_t threads_allowed(void)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(RLIMIT_NPROC, &limit), 0);
    return limit.rlim_max;
}

static void run_crowd(const struct plan *plan)
{
    struct crowd crowd = {.plan = *plan};
    HANDLE creator;

    EXPECT_EQ(pipe(pipe_ends), 0);
    gate = CreateEventA(NULL, TRUE, FALSE, NULL);
    crowd.fleet =
        fleet_create(SCHEDULERS, crowd.plan.asked + 1, FLEET_SHARED_READY | FLEET_NO_GATHER);
    ASSERT_NE(crowd.fleet, NULL);
    fleet_set_stack(crowd.fleet, STACK);
    fleet_set_limit(crowd.fleet, (DWORD)(30000 + crowd.plan.asked * SLOW_MS));
    fleet_hold(crowd.fleet);
    creator = CreateThread(NULL, 0, create_and_release, &crowd, 0, NULL);
    ASSERT_NE(creator, NULL);
    ASSERT_OK(fleet_run(crowd.fleet));
    EXPECT_EQ(WaitForSingleObject(creator, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(fleet_counts(crowd.fleet).ended, crowd.created + 1);
    EXPECT_EQ(crowd.created + crowd.refused, crowd.plan.asked);
    if (crowd.plan.limit == DESCRIPTORS)
        EXPECT_EQ(crowd.refused, 0);
    else if (crowd.plan.limit != FROM_OUTSIDE &&
             (crowd.plan.limit != MAPPINGS || stacks_are_mappings()))
        EXPECT_GT(crowd.refused, 0);
    printf("%d asked for, %d refused, %d alive and blocked at once, all ended\n", crowd.plan.asked,
           crowd.refused, crowd.created);
    fflush(stdout);
    fleet_destroy(crowd.fleet);
}

static int run_alone(void *arg)
{
    const struct plan *plan = arg;

    if (plan->limit == THREADS && !count_threads_alone())
        return CANNOT;
    if (plan->limit == THREADS && threads_allowed() < (rlim_t)plan->asked + OTHERS)
        return TOO_LOW;
    run_crowd(plan);
    return 0;
}

static void run_limited(enum limit limit)
{
    struct plan plan = {limit, asked_for()};
    struct child_result result = child_run(run_alone, &plan, 40000 + plan.asked * SLOW_MS);

    if (result.exited && result.code == CANNOT)
        SKIP("threads cannot be limited here: neither root nor user namespaces");
    if (result.exited && result.code == TOO_LOW)
        SKIP(
            "the hard limit on threads of a user (ulimit -Hu) is %lu, and %d workers are asked for",
            (unsigned long)threads_allowed(), plan.asked);
    EXPECT_CHILD_OK(result);
    tc_note("%s", result.output);
}

CALL_TEST(LimitedCrowd, threads, run_limited(THREADS))
CALL_TEST(LimitedCrowd, address_space, run_limited(ADDRESS_SPACE))

TEST(LimitedCrowd, mappings)
{
    if (most_mappings() > MOST_TO_FILL)
        SKIP("the system allows %ld mappings: filling them up would take its memory",
             most_mappings());
    run_limited(MAPPINGS);
}

/* A worker takes none. */
CALL_TEST(LimitedCrowd, descriptors, run_limited(DESCRIPTORS))

/* The limit comes from outside, as of a group of processes that may have few threads. Somebody sets
 * it by hand. */
CALL_TEST(LimitedCrowd, from_outside, run_limited(FROM_OUTSIDE))
