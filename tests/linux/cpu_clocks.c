/* SPDX-License-Identifier: MIT
 *
 * cpu_clocks.c - processor time of threads that share a kernel thread.
 *
 * Each worker and each scheduler has a clock of its own, which counts only its own time, on
 * whatever thread it is read. The tests measure by these clocks themselves, so a busy machine makes
 * a test longer, not wrong. They compare time that must not count with the process's time
 * meanwhile.
 *
 * modes: default, UMSSHIM_FRONT=0, UMSSHIM_DETECT=0, UMSSHIM_FSGSBASE=0
 * options: LIMIT 60
 */
#include <windows.h>

#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, BURN = 40 * MS, LIMIT_MS = 20000 };

static long long read_clock(clockid_t clock)
{
    struct timespec time = {0, 0};

    EXPECT_EQ(clock_gettime(clock, &time), 0);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long own(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Computes until the process's clock has counted so many ns. No other thread of the process
 * computes meanwhile. */
static void burn(long long ns)
{
    long long start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    long long began = now_ms();

    while (read_clock(CLOCK_PROCESS_CPUTIME_ID) - start < ns) {
        if (now_ms() - began > LIMIT_MS) {
            FAIL("no processor time in %d ms", LIMIT_MS);
            return;
        }
    }
}

static long long ticks(FILETIME time)
{
    return ((long long)time.dwHighDateTime << 32 | time.dwLowDateTime) * 100;
}

static long long by_handle(HANDLE thread)
{
    FILETIME created, ended, kernel, user;

    EXPECT_OK(GetThreadTimes(thread, &created, &ended, &kernel, &user));
    return ticks(kernel) + ticks(user);
}

static long long by_rusage(void)
{
    struct rusage usage = {0};

    EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static void expect_between(const char *what, long long value, long long least, long long most)
{
    EXPECT_THAT(value >= least && value <= most, "%s: %lld us, not %lld to %lld", what,
                value / 1000, least / 1000, most / 1000);
}

/* ---- every way to ask, on every kind of thread ---- */

static void ask_in_all_ways(void *arg)
{
    clockid_t clock = 0;
    long long start = own();
    long long times[4];
    struct timespec resolution;

    EXPECT_EQ(pthread_getcpuclockid(pthread_self(), &clock), 0);
    EXPECT_EQ(clock_getres(clock, &resolution), 0);
    times[0] = own();
    times[1] = read_clock(clock);
    times[2] = by_handle(GetCurrentThread());
    times[3] = by_rusage();
    burn(BURN);
    times[0] = own() - times[0];
    times[1] = read_clock(clock) - times[1];
    times[2] = by_handle(GetCurrentThread()) - times[2];
    times[3] = by_rusage() - times[3];
    /* Others of the engine's and the test's may have used a little of it. */
    expect_between("CLOCK_THREAD_CPUTIME_ID", times[0], BURN * 3 / 4, 10LL * BURN);
    expect_between("pthread_getcpuclockid", times[1], times[0] * 9 / 10, times[0] * 11 / 10);
    expect_between("GetThreadTimes", times[2], times[0] * 9 / 10, times[0] * 11 / 10);
    expect_between("RUSAGE_THREAD", times[3], times[0] * 7 / 10, times[0] * 13 / 10);
    EXPECT_GE(own(), start);
}

TEST(CpuClocks, of_the_calling_thread)
{
    in_each_kind(ask_in_all_ways, NULL);
}

/* ---- whose time it is ---- */

struct shares {
    long long worker[2]; /* what each used */
    long long used[2];   /* what it meant to use */
    int begun, over;
    clockid_t clock;
    int fds[2];
};

/* Worker 0 computes. Worker 1 yields all the time and does next to nothing, and so does the
 * scheduler between them. */
static void take_turns(struct worker *self)
{
    struct shares *shares = self->arg;
    long long start = own();

    flag_add(&shares->begun, 1);
    for (int i = 0; i < 20; i++) {
        if (self->index == 0)
            burn(2 * MS);
        EXPECT_OK(UmsThreadYield(NULL));
    }
    shares->worker[self->index] = own() - start;
}

TEST(CpuClocks, each_worker_has_its_own)
{
    struct shares shares = {{0, 0}, {0, 0}, 0, 0, 0, {-1, -1}};
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_OK(fleet != NULL);
    fleet_add(fleet, take_turns, &shares);
    fleet_add(fleet, take_turns, &shares);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    expect_between("who worked", shares.worker[0], 30 * MS, 400LL * MS);
    expect_between("who yielded", shares.worker[1], 0, shares.worker[0] / 4);
}

static void wait_in_the_kernel(struct worker *self)
{
    struct shares *shares = self->arg;
    long long start = own();
    char byte;

    EXPECT_EQ(read(shares->fds[0], &byte, 1), 1);
    shares->worker[0] = own() - start;
    burn(BURN);
    shares->used[0] = own() - start - shares->worker[0];
}

static void work_meanwhile(struct worker *self)
{
    struct shares *shares = self->arg;
    long long start = own();

    burn(BURN);
    shares->worker[1] = own() - start;
    EXPECT_EQ(write(shares->fds[1], "x", 1), 1);
}

TEST(CpuClocks, waiting_is_no_time_and_what_others_do_is_theirs)
{
    struct shares shares = {{0, 0}, {0, 0}, 0, 0, 0, {-1, -1}};
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_OK(fleet != NULL);
    ASSERT_EQ(pipe(shares.fds), 0);
    if (getenv(
            "UMSSHIM_DETECT")) /* a worker that waits keeps the scheduler: the byte has to be there */
        EXPECT_EQ(write(shares.fds[1], "x", 1), 1);
    fleet_add(fleet, wait_in_the_kernel, &shares);
    fleet_add(fleet, work_meanwhile, &shares);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    close(shares.fds[0]);
    close(shares.fds[1]);
    expect_between("who worked", shares.worker[1], BURN * 3 / 4, 10LL * BURN);
    expect_between("who waited", shares.worker[0], 0, BURN / 4);
    expect_between("and went on", shares.used[0], BURN * 3 / 4, 10LL * BURN);
}

/* ---- from outside ---- */

static void tell_clock_and_work(void *arg)
{
    struct shares *shares = arg;

    EXPECT_EQ(pthread_getcpuclockid(pthread_self(), &shares->clock), 0);
    flag_set(&shares->begun, 1);
    while (!flag_get(&shares->over))
        YieldProcessor();
}

static void watch_from_outside(enum kind kind)
{
    struct shares shares = {{0, 0}, {0, 0}, 0, 0, 0, {-1, -1}};
    struct kind_thread thread = {0};
    struct timespec moment = {0, MS};
    long long start, before, began = now_ms();

    ASSERT_OK(kind_start(&thread, kind, tell_clock_and_work, &shares));
    EXPECT_OK(wait_until(&shares.begun, LIMIT_MS));
    start = before = read_clock(shares.clock);
    while (before - start < BURN && now_ms() - began < LIMIT_MS) {
        long long now = read_clock(shares.clock);

        EXPECT_GE(now, before); /* it never goes back */
        before = now;
        nanosleep(&moment, NULL);
    }
    expect_between("read from outside", before - start, BURN, 100LL * BURN);
    EXPECT_GE(by_handle(thread.thread), before - start);
    if (kind == KIND_WORKER) {
        EXPECT_EQ(clock_nanosleep(shares.clock, 0, &moment, NULL),
                  ENOTSUP); /* nobody would wake us */
    }
    flag_set(&shares.over, 1);
    EXPECT_EQ(WaitForSingleObject(thread.thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_GE(by_handle(thread.thread), before - start); /* and when it has ended */
    EXPECT_OK(kind_join(&thread));
}

TEST(CpuClocks, read_by_others_and_after_the_end)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        watch_from_outside(kind);
}

/* ---- the sum ---- */

enum { WORKERS = 6, STEPS = 200 };

static long long sum;

static void some_work(struct worker *self)
{
    long long start = own();

    for (int i = 0; i < STEPS; i++) {
        for (volatile int n = 0; n < 20000; n = n + 1) {
        }
        if (i % 7 == 0)
            Sleep(1);
        EXPECT_OK(UmsThreadYield(NULL));
    }
    __atomic_fetch_add(&sum, own() - start, __ATOMIC_RELAXED);
}

TEST(CpuClocks, no_time_is_counted_twice)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);
    long long start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    long long whole;

    ASSERT_OK(fleet != NULL);
    sum = 0;
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, some_work, NULL);
    EXPECT_OK(fleet_run(fleet));
    whole = read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
    fleet_destroy(fleet);
    expect_between("all workers", sum, whole / 10, whole);
}
