/* SPDX-License-Identifier: MIT
 *
 * sleepers.h - many asleep at once: how long each one sleeps, what the process uses meanwhile, and
 * how late each one runs again. The same account for workers, threads and fibers.
 *
 * All are started and gathered first; then each one asks how long to sleep, sleeps, and reports
 * back. A kernel thread that sleeps, too, reads the processor time twice while all are asleep; what
 * it uses itself, one wake-up, counts.
 */
#ifndef UMSSHIM_TESTS_BENCH_SLEEPERS_H
#define UMSSHIM_TESTS_BENCH_SLEEPERS_H

#include "bench.h"

#include <pthread.h>
#include <semaphore.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sleepers_plan {
    SLEEP_ALIKE,    /* the same length for all: due in the order and at the pace they lay down */
    SLEEP_SPREAD,   /* lengths at random over a window */
    SLEEP_TOGETHER, /* all due within the same millisecond */
};

struct sleepers {
    enum sleepers_plan plan;
    unsigned count;
    uint32_t length_ms;
    uint32_t window_ms;
    uint64_t *late_ns; /* by index */
    unsigned asleep;
    unsigned back;
    uint64_t first_due_ns;
    sem_t all_asleep;
    pthread_t observer;
    double asleep_us_per_s;
    uint64_t before_cpu_ns; /* the second reading */
    uint64_t end_cpu_ns;    /* when the last one was back */
};

void sleepers_init(struct sleepers *all, enum sleepers_plan plan, const struct bench_scale *scale,
                   unsigned count);

/* How many milliseconds the caller is to sleep now, and when that is over. */
uint32_t sleepers_lie_down(struct sleepers *all, unsigned index, uint64_t *due_ns);

/* True for the last one. All others wait for that, on something that costs nothing: what the end of
 * a thread or worker takes is not to be seen here. */
bool sleepers_rise(struct sleepers *all, unsigned index, uint64_t due_ns);

/* After all are back; ends the probe if somebody was back before all slept. */
void sleepers_emit(struct sleepers *all);

#ifdef __cplusplus
}
#endif

#endif
