/* SPDX-License-Identifier: MIT
 *
 * sleepers.c - the account of many that sleep at once.
 */
#define _GNU_SOURCE
#include "sleepers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

/* What the crowd gets to settle, and how long before the first is due the second reading comes. */
static const uint64_t MARGIN_NS = 20000000;

static uint64_t cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* While such a timer is set the kernel keeps one sum for the process; else each reading of its
 * processor time goes through all threads, which takes longer than what is to be measured. */
static void keep_one_sum(void)
{
    static const struct itimerval never = {.it_value = {.tv_sec = 100000}};

    if (setitimer(ITIMER_PROF, &never, NULL) != 0)
        bench_fail("setitimer", errno);
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec time = {.tv_sec = (time_t)(time_ns / 1000000000u),
                            .tv_nsec = (long)(time_ns % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

static void *observe(void *arg)
{
    struct sleepers *all = arg;
    uint64_t before, start, cpu;

    while (sem_wait(&all->all_asleep) != 0) {
    }
    sleep_until(bench_now_ns() + MARGIN_NS); /* the last of them are on their way to sleep */
    start = bench_now_ns();
    before = cpu_ns();
    sleep_until(all->first_due_ns - MARGIN_NS);
    cpu = cpu_ns();
    all->asleep_us_per_s = (double)(cpu - before) * 1e6 / (double)(bench_now_ns() - start);
    all->before_cpu_ns = cpu;
    if (__atomic_load_n(&all->back, __ATOMIC_ACQUIRE) || start > all->first_due_ns - MARGIN_NS)
        bench_no_time("the first was due before the last slept");
    return NULL;
}

void sleepers_init(struct sleepers *all, enum sleepers_plan plan, const struct bench_scale *scale,
                   unsigned count)
{
    int error;

    *all = (struct sleepers){.plan = plan,
                             .count = count,
                             .length_ms = scale->sleep_ms * bench_patience,
                             .window_ms = scale->window_ms};
    all->late_ns = calloc(count, sizeof(*all->late_ns));
    if (!all->late_ns)
        bench_fail("no memory for the sleepers", ENOMEM);
    keep_one_sum();
    sem_init(&all->all_asleep, 0, 0);
    error = pthread_create(&all->observer, NULL, observe, all);
    if (error)
        bench_fail("pthread_create", error);
}

static uint32_t length_ms(struct sleepers *all, unsigned index, uint64_t now)
{
    uint64_t due;
    uint64_t state = index + UINT64_C(0x9E3779B97F4A7C15);

    switch (all->plan) {
    case SLEEP_SPREAD:
        return all->length_ms + (uint32_t)((bench_random(&state) >> 32) % all->window_ms);
    case SLEEP_TOGETHER:
        due = __atomic_load_n(&all->first_due_ns, __ATOMIC_RELAXED);
        return due > now ? (uint32_t)((due - now) / 1000000u) + 1 : 1;
    default:
        return all->length_ms;
    }
}

uint32_t sleepers_lie_down(struct sleepers *all, unsigned index, uint64_t *due_ns)
{
    uint64_t now = bench_now_ns();
    uint64_t none = 0;
    uint32_t length;

    __atomic_compare_exchange_n(&all->first_due_ns, &none, now + all->length_ms * UINT64_C(1000000),
                                false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    length = length_ms(all, index, now);
    *due_ns = now + length * UINT64_C(1000000);
    if (__atomic_add_fetch(&all->asleep, 1, __ATOMIC_ACQ_REL) == all->count)
        sem_post(&all->all_asleep);
    return length;
}

bool sleepers_rise(struct sleepers *all, unsigned index, uint64_t due_ns)
{
    uint64_t now = bench_now_ns();
    unsigned back = __atomic_add_fetch(&all->back, 1, __ATOMIC_ACQ_REL);

    if (now < due_ns)
        bench_fail("one woke before its time", 0);
    all->late_ns[index] = now - due_ns;
    if (back < all->count)
        return false;
    all->end_cpu_ns = cpu_ns();
    return true;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void sleepers_emit(struct sleepers *all)
{
    if (all->back != all->count)
        bench_fail("not every sleeper came back", 0);
    pthread_join(all->observer, NULL);
    qsort(all->late_ns, all->count, sizeof(*all->late_ns), compare);
    bench_emit("asleep", all->asleep_us_per_s);
    bench_emit("median", (double)all->late_ns[all->count / 2] / 1e3);
    bench_emit("p99", (double)all->late_ns[all->count - 1 - all->count / 100] / 1e3);
    bench_emit("most", (double)all->late_ns[all->count - 1] / 1e3);
    bench_emit("wake", (double)(all->end_cpu_ns - all->before_cpu_ns) / 1e3 / all->count);
    bench_emit("count", all->count);
}
