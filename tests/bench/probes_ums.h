/* SPDX-License-Identifier: MIT
 *
 * probes_ums.h - the probes that run on umsshim.
 */
#ifndef UMSSHIM_TESTS_BENCH_PROBES_UMS_H
#define UMSSHIM_TESTS_BENCH_PROBES_UMS_H

#include "bench.h"
#include "block.h"

struct rig_worker;

void probe_yield_two(const struct bench_scale *scale);
void probe_yield_crowd(const struct bench_scale *scale);
void probe_growth(const struct bench_scale *scale);
void probe_pipe_libc(const struct bench_scale *scale);
void probe_pipe_bare(const struct bench_scale *scale);
void probe_pipe_read_bare(const struct bench_scale *scale);
void probe_call_allowed(const struct bench_scale *scale);
void probe_call_instant_libc(const struct bench_scale *scale);
void probe_call_instant_bare(const struct bench_scale *scale);
void probe_create(const struct bench_scale *scale);
void probe_create_left(const struct bench_scale *scale);
/* The probe with workers of another kind, each of which adds 1 to its argument: how many ran. */
uint64_t create_workers(const struct bench_scale *scale, void (*body)(struct rig_worker *self));
void probe_footprint(const struct bench_scale *scale);
void probe_crowd(const struct bench_scale *scale);
void probe_event(const struct bench_scale *scale);
void probe_event_threads(const struct bench_scale *scale);
void probe_section_two(const struct bench_scale *scale);
void probe_section_eight(const struct bench_scale *scale);
void probe_section_threads(const struct bench_scale *scale);
void probe_ring(const struct bench_scale *scale);
void probe_ring_threads(const struct bench_scale *scale);
void probe_read_cached(const struct bench_scale *scale);
void probe_read_uncached(const struct bench_scale *scale);
void probe_named_pipe(const struct bench_scale *scale);
void probe_named_pipe_processes(const struct bench_scale *scale);
void probe_sleep_alike(const struct bench_scale *scale);
void probe_sleep_spread(const struct bench_scale *scale);
void probe_sleep_together(const struct bench_scale *scale);

/* block_workers.c: every kind of block.h. */
#define ROW(name) void probe_block_##name(const struct bench_scale *scale);
BLOCK_KINDS(ROW)
#undef ROW
#define ROW(name) void probe_nowait_##name(const struct bench_scale *scale);
BLOCK_CALLS(ROW)
#undef ROW
#define ROW(name) void probe_plain_##name(const struct bench_scale *scale);
BLOCK_CALLS(ROW)
#undef ROW
void probe_plain_call(const struct bench_scale *scale);
void probe_plain_instant(const struct bench_scale *scale);
void probe_line_few(const struct bench_scale *scale);
void probe_line_many(const struct bench_scale *scale);

#endif
