/* SPDX-License-Identifier: MIT
 *
 * probes.h - the probes that only the Windows build has.
 */
#ifndef UMSSHIM_TESTS_BENCH_WINDOWS_PROBES_H
#define UMSSHIM_TESTS_BENCH_WINDOWS_PROBES_H

#include "bench.h"

/* yields.c */
void probe_yield_one(const struct bench_scale *scale);
void probe_yield_slots(const struct bench_scale *scale);
void probe_turns_2(const struct bench_scale *scale);
void probe_turns_10(const struct bench_scale *scale);
void probe_turns_100(const struct bench_scale *scale);
void probe_turns_1000(const struct bench_scale *scale);
void probe_home(const struct bench_scale *scale);

/* fibers.c */
void probe_fiber_trip(const struct bench_scale *scale);
void probe_fibers_10(const struct bench_scale *scale);
void probe_fibers_100(const struct bench_scale *scale);
void probe_fibers_1000(const struct bench_scale *scale);

/* handover.c */
void probe_condition(const struct bench_scale *scale);
void probe_condition_threads(const struct bench_scale *scale);
void probe_address_threads(const struct bench_scale *scale);

/* mutex.c */
void probe_mutex(const struct bench_scale *scale);
void probe_mutex_threads(const struct bench_scale *scale);

/* create_thread.c */
void probe_create_thread(const struct bench_scale *scale);

/* crowd.c */
void probe_crowd_sleep(const struct bench_scale *scale);
void probe_crowd_event(const struct bench_scale *scale);
void probe_crowd_sleep_threads(const struct bench_scale *scale);
void probe_crowd_event_threads(const struct bench_scale *scale);

#endif
