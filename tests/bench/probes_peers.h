/* SPDX-License-Identifier: MIT
 *
 * probes_peers.h - the same jobs done by kernel threads, boost.fiber and boost.context.
 */
#ifndef UMSSHIM_TESTS_BENCH_PROBES_PEERS_H
#define UMSSHIM_TESTS_BENCH_PROBES_PEERS_H

#include "bench.h"
#include "block.h"

#ifdef __cplusplus
extern "C" {
#endif

/* peers_threads.c */
void peer_handover(const struct bench_scale *scale);
void peer_pipe(const struct bench_scale *scale);
void peer_call(const struct bench_scale *scale);
void peer_call_instant(const struct bench_scale *scale);
void peer_create_thread(const struct bench_scale *scale);
void peer_create_thread_left(const struct bench_scale *scale);
void peer_footprint_thread(const struct bench_scale *scale);
void peer_crowd_wake(const struct bench_scale *scale);

/* peers_ring.c */
void peer_read_cached(const struct bench_scale *scale);
void peer_read_uncached(const struct bench_scale *scale);

/* peers_thread_waits.c */
void peer_section_two(const struct bench_scale *scale);
void peer_section_eight(const struct bench_scale *scale);
void peer_ring(const struct bench_scale *scale);
void peer_sleep_alike(const struct bench_scale *scale);
void peer_sleep_spread(const struct bench_scale *scale);
void peer_sleep_together(const struct bench_scale *scale);

/* peers_block.c: every kind of block.h. */
#define ROW(name) void peer_block_##name(const struct bench_scale *scale);
BLOCK_KINDS(ROW)
#undef ROW
#define ROW(name) void peer_nowait_##name(const struct bench_scale *scale);
BLOCK_CALLS(ROW)
#undef ROW
void peer_line(const struct bench_scale *scale);

/* peers_boost.cpp */
void peer_fiber_yield_two(const struct bench_scale *scale);
void peer_fiber_yield_crowd(const struct bench_scale *scale);
void peer_context_switch(const struct bench_scale *scale);
void peer_create_fiber(const struct bench_scale *scale);
void peer_footprint_fiber(const struct bench_scale *scale);

/* peers_fiber_waits.cpp */
void peer_fiber_handover(const struct bench_scale *scale);
void peer_fiber_section_two(const struct bench_scale *scale);
void peer_fiber_section_eight(const struct bench_scale *scale);
void peer_fiber_ring(const struct bench_scale *scale);
void peer_fiber_sleep_alike(const struct bench_scale *scale);
void peer_fiber_sleep_spread(const struct bench_scale *scale);
void peer_fiber_sleep_together(const struct bench_scale *scale);

#ifdef __cplusplus
}
#endif

#endif
