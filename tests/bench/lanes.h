/* SPDX-License-Identifier: MIT
 *
 * lanes.h - the same work on one scheduler, and on as many as there are processors.
 */
#ifndef UMSSHIM_TESTS_BENCH_LANES_H
#define UMSSHIM_TESTS_BENCH_LANES_H

#include "bench.h"

/* One probe of the group: the row's name in the catalog, on one scheduler or on all processors. */
/* clang-format off */
#define LANES_ROWS(ROW) \
    ROW(yield) ROW(event) ROW(semaphore) ROW(section) ROW(srw) ROW(address) ROW(any) ROW(sleep) \
    ROW(pipe) ROW(create) ROW(birth) ROW(worker) ROW(thread) ROW(list) ROW(shared) ROW(threads)
/* clang-format on */

#define LANES_DECLARE(row)                                                                         \
    void probe_lanes_##row##_one(const struct bench_scale *scale);                                 \
    void probe_lanes_##row##_all(const struct bench_scale *scale);
LANES_ROWS(LANES_DECLARE)

/* Their entries in a table of runners. The lanes pin themselves. */
#define LANES_RUNNERS(row)                                                                         \
    {"scale-" #row "-1", probe_lanes_##row##_one, false},                                          \
        {"scale-" #row "-n", probe_lanes_##row##_all, false},

/* In the catalog, for the executable, or on Windows the mode, that runs them: values, and ratios with their bars. */
#define LANES_PROBES(by, row, who, bound)                                                          \
    {by "/scale-" row "-1",                                                                        \
     "scale",                                                                                      \
     {{"rate", who ", 1 processor", "k/s", SOME},                                                  \
      {"cpu", "  processor time of one", "ns", MAYBE}}},                                           \
        {by "/scale-" row "-n",                                                                    \
         "scale",                                                                                  \
         {                                                                                         \
             {"rate", "  all processors, each for itself", "k/s", SOME},                           \
             {"cpu", "  processor time of one", "ns", MAYBE},                                      \
         }},
#define LANES_RATIO(by, row, who, bound)                                                           \
    {"scale-" row,          who ": all processors / one",                                          \
     by "/scale-" row "-n", "rate",                                                                \
     by "/scale-" row "-1", "rate",                                                                \
     BAR_AT_LEAST,          bound},

/* DO(by, row's name, what it does, bar) for each. */
#define LANES_CATALOG(DO, by)                                                                      \
    DO(by, "yield", "yield", 1.95)                                                                 \
    DO(by, "event", "SetEvent and wait", 1.85)                                                     \
    DO(by, "semaphore", "semaphore hand-over", 1.85)                                               \
    DO(by, "section", "contended critical section", 1.85)                                          \
    DO(by, "srw", "contended SRW lock", 1.85)                                                      \
    DO(by, "address", "WaitOnAddress hand-over", 1.85)                                             \
    DO(by, "any", "SetEvent and wait for any of 8", 1.85)                                          \
    DO(by, "sleep", "Sleep(1), 32 workers", 1.85)                                                  \
    DO(by, "pipe", "pipe hand-over", 1.85)                                                         \
    DO(by, "create", "create, wait for and close an event", 1.85)                                  \
    DO(by, "birth", "create and wait for a thread", 1.85)                                          \
    DO(by, "worker", "create, run and join a worker", 1.85)                                        \
    DO(by, "thread", "2 threads: create and join a thread", 1.85)                                  \
    DO(by, "list", "8 arrive at once", 1.85)                                                       \
    DO(by, "shared", "one critical section for all", 1.0)                                          \
    DO(by, "threads", "2 threads: SetEvent and wait", 1.85)

#endif
