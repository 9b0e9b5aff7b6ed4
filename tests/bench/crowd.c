/* SPDX-License-Identifier: MIT
 *
 * crowd.c - many workers alive on two schedulers, a tenth of them blocked in read at once: how long
 * it takes to block and to wake them, and what the others get done meanwhile.
 */
#define _GNU_SOURCE
#include "probes_ums.h"

#include "bench.h"
#include "rig.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SCHEDULERS = 2 };

enum phase {
    GATHER, /* everyone yields until all have run once */
    FREE,   /* everyone yields */
    BLOCK,  /* the readers read; the others go on */
    END
};

struct crowd {
    struct rig rigs[SCHEDULERS];
    atomic_int phase;
    atomic_uint gathered;
    atomic_uint woken;
    atomic_ulong last_woken_ns;
    int (*pipes)[2];
};

static struct crowd crowd;

static void gather(struct rig_worker *self)
{
    atomic_fetch_add(&crowd.gathered, 1);
    while (atomic_load_explicit(&crowd.phase, memory_order_relaxed) == GATHER)
        rig_yield(self);
}

static void work(struct rig_worker *self)
{
    gather(self);
    while (atomic_load_explicit(&crowd.phase, memory_order_relaxed) != END)
        rig_yield(self);
}

static void block(struct rig_worker *self)
{
    const int *fds = self->arg;
    char byte;

    gather(self);
    while (atomic_load_explicit(&crowd.phase, memory_order_relaxed) == FREE)
        rig_yield(self);
    if (read(fds[0], &byte, 1) != 1)
        bench_fail("read", errno);
    atomic_store(&crowd.last_woken_ns, bench_now_ns());
    atomic_fetch_add(&crowd.woken, 1);
    while (atomic_load_explicit(&crowd.phase, memory_order_relaxed) != END)
        rig_yield(self);
}

static void *scheduler_main(void *arg)
{
    rig_run(arg);
    return NULL;
}

static void sleep_ns(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000u),
                            .tv_nsec = (long)(ns % 1000000000u)};

    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

static unsigned long activations(UMS_SCHEDULER_REASON reason)
{
    unsigned long sum = 0;

    for (int i = 0; i < SCHEDULERS; i++)
        sum += atomic_load_explicit(&crowd.rigs[i].activations[reason], memory_order_relaxed);
    return sum;
}

/* Million yields a second, both schedulers together. */
static double throughput(const struct bench_scale *scale)
{
    unsigned long before = activations(UmsSchedulerThreadYield);
    uint64_t start = bench_now_ns();

    sleep_ns(scale->window_ms * UINT64_C(1000000));
    return (double)(activations(UmsSchedulerThreadYield) - before) * 1000.0 /
           (double)(bench_now_ns() - start);
}

static uint64_t time_to_block(const struct bench_scale *scale)
{
    unsigned long before = activations(UmsSchedulerThreadBlocked);
    uint64_t start = bench_now_ns();
    uint64_t end = 0;

    atomic_store(&crowd.phase, BLOCK);
    while (activations(UmsSchedulerThreadBlocked) - before < scale->crowd_blocked)
        sleep_ns(200000);
    for (int i = 0; i < SCHEDULERS; i++) {
        uint64_t last = atomic_load(&crowd.rigs[i].last_blocked_ns);

        if (last > end)
            end = last;
    }
    return end - start;
}

/* This thread writes while two schedulers keep two processors busy, so how long the writing takes
 * is the kernel's affair: the time from the last write on is reported beside the whole. */
static void wake_all(const struct bench_scale *scale)
{
    uint64_t start = bench_now_ns();
    uint64_t written;
    uint64_t last;

    for (unsigned i = 0; i < scale->crowd_blocked; i++)
        if (write(crowd.pipes[i][1], "x", 1) != 1)
            bench_fail("write", errno);
    written = bench_now_ns();
    while (atomic_load(&crowd.woken) < scale->crowd_blocked)
        sleep_ns(200000);
    last = atomic_load(&crowd.last_woken_ns);
    bench_emit("wake", (double)(last - start) / 1e6);
    bench_emit("late", last > written ? (double)(last - written) / 1e6 : 0.0);
}

static void make_crowd(const struct bench_scale *scale)
{
    unsigned each = scale->crowd / SCHEDULERS;

    bench_need_files(2 * scale->crowd_blocked + 64);
    crowd.pipes = calloc(scale->crowd_blocked, sizeof(*crowd.pipes));
    if (!crowd.pipes)
        bench_fail("no memory for the pipes", ENOMEM);
    for (unsigned i = 0; i < scale->crowd_blocked; i++)
        if (pipe(crowd.pipes[i]) != 0)
            bench_fail("pipe", errno);
    for (unsigned s = 0; s < SCHEDULERS; s++) {
        unsigned readers = scale->crowd_blocked / SCHEDULERS;

        rig_init(&crowd.rigs[s], each);
        crowd.rigs[s].stamp_blocked = true;
        /* Spread over the queue, as they would be. */
        for (unsigned i = 0; i < each; i++) {
            bool reads = i % (each / readers) == 0 && i / (each / readers) < readers;

            if (reads)
                rig_add(&crowd.rigs[s], block, crowd.pipes[s * readers + i / (each / readers)]);
            else
                rig_add(&crowd.rigs[s], work, NULL);
        }
    }
}

void probe_crowd(const struct bench_scale *scale)
{
    pthread_t threads[SCHEDULERS];
    uint64_t start = bench_now_ns();

    make_crowd(scale);
    for (int s = 0; s < SCHEDULERS; s++) {
        int error = pthread_create(&threads[s], NULL, scheduler_main, &crowd.rigs[s]);

        if (error)
            bench_fail("pthread_create", error);
    }
    while (atomic_load(&crowd.gathered) < scale->crowd)
        sleep_ns(1000000);
    bench_emit("start", (double)(bench_now_ns() - start) / 1e6);
    atomic_store(&crowd.phase, FREE);
    throughput(scale);
    bench_emit("free", throughput(scale));
    bench_emit("block", (double)time_to_block(scale) / 1e6);
    bench_emit("meanwhile", throughput(scale));
    wake_all(scale);
    atomic_store(&crowd.phase, END);
    for (int s = 0; s < SCHEDULERS; s++)
        pthread_join(threads[s], NULL);
}
