/* SPDX-License-Identifier: MIT
 *
 * catalog.c - what ums_bench.exe measures, beside what, and the bars.
 *
 * A probe's family is the mode that its process is to choose, or "peers": no UMS in them. A probe
 * that is not called free runs on one processor, where a hand-over between threads is one switch of
 * the kernel's and nothing spins.
 */
#include "catalog.h"
#include "lanes.h"

#include <stddef.h>

/* A probe in both modes, with one value and perhaps more. */
#define MODES(probe, group, name, what, unit, ...)                                                 \
    {"inplace/" probe, group, {{name, "in place: " what, unit, SOME}, ##__VA_ARGS__}},             \
    {                                                                                              \
        "pinned/" probe, group,                                                                    \
        {                                                                                          \
            {name, "pinned: " what, unit, SOME}, ##__VA_ARGS__                                     \
        }                                                                                          \
    }

#define HOSTED                                                                                     \
    {                                                                                              \
        "hosted", "  on its scheduler's kernel thread: 1, else 0", "", ANY                         \
    }
#define UPCALLS                                                                                    \
    {                                                                                              \
        "upcalls", "  Blocked activations for each", "", ANY                                       \
    }

#define CROWD(who)                                                                                 \
    {                                                                                              \
        {"cpu", who ": processor time", "us/s", ANY},                                              \
            {"host_cpu", "  the same, counted by the host", "us/s", MAYBE},                        \
            {"wakeups", "  kernel wake-ups while all wait, by the host", "/s", MAYBE},             \
            {"threads", "  kernel threads of the process", "", MAYBE},                             \
            {"back", "  let go: until all have run again", "ms", SOME},                            \
            {"each", "  let go, wait again: wake-ups for each", "", MAYBE},                        \
            {"each_cpu", "  let go, wait again: processor time for each", "us", MAYBE},            \
    }

const struct catalog_probe catalog_probes[] = {
    MODES("yield-1", "yield", "yield", "yield + execute, 1 worker", "ns", HOSTED),
    MODES("yield-slots", "yield", "yield", "the same, 32 TLS slots in use", "ns", HOSTED),
    {"peers/fiber-trip", "yield", {{"trip", "SwitchToFiber, there and back", "ns", SOME}}},
    {"peers/address-thread",
     "yield",
     {{"trip", "threads: WaitOnAddress, there and back", "ns", SOME}}},
    MODES("yield-1-free", "yield", "yield", "yield + execute, 1 worker, free", "ns", HOSTED),
    {"peers/address-thread-free",
     "yield",
     {{"trip", "threads: WaitOnAddress, there and back, free", "ns", SOME}}},
    MODES("yield-2", "yield", "yield", "yield + execute, 2 workers", "ns"),
    MODES("yield-10", "yield", "yield", "yield + execute, 10 workers", "ns"),
    {"peers/fibers-10", "yield", {{"switch", "SwitchToFiber, ring of 10, one switch", "ns", SOME}}},
    MODES("yield-100", "yield", "yield", "yield + execute, 100 workers", "ns"),
    {"peers/fibers-100",
     "yield",
     {{"switch", "SwitchToFiber, ring of 100, one switch", "ns", SOME}}},
    MODES("yield-1000", "yield", "yield", "yield + execute, 1000 workers", "ns"),
    {"peers/fibers-1000",
     "yield",
     {{"switch", "SwitchToFiber, ring of 1000, one switch", "ns", SOME}}},

    MODES("home", "home", "call", "GetThreadPriority, yield + execute", "ns", HOSTED),

    MODES("event", "wait", "signal", "2 workers: SetEvent and wait", "ns", UPCALLS),
    {"peers/event-thread", "wait", {{"signal", "2 threads: SetEvent and wait", "ns", SOME}}},
    MODES("event-free", "wait", "signal", "2 workers: SetEvent and wait, free", "ns", UPCALLS),
    {"peers/event-thread-free",
     "wait",
     {{"signal", "2 threads: SetEvent and wait, free", "ns", SOME}}},
    MODES("semaphore", "wait", "hop", "2 workers: release and wait, semaphores", "ns"),
    {"peers/semaphore-thread",
     "wait",
     {{"hop", "2 threads: release and wait, semaphores", "ns", SOME}}},
    MODES("condition", "wait", "handover", "2 workers: SRW lock and condition", "ns"),
    {"peers/condition-thread",
     "wait",
     {{"handover", "2 threads: SRW lock and condition", "ns", SOME}}},
    MODES("section", "wait", "entry", "2 workers: contended critical section", "ns", UPCALLS),
    {"peers/section-thread",
     "wait",
     {{"entry", "2 threads: contended critical section", "ns", SOME}}},
    MODES("mutex", "wait", "entry", "2 workers: contended mutex", "ns", UPCALLS),
    {"peers/mutex-thread", "wait", {{"entry", "2 threads: contended mutex", "ns", SOME}}},

    MODES("create", "create", "create", "worker: create, run, join", "us"),
    {"peers/create-thread", "create", {{"create", "thread: create, run, join", "us", SOME}}},

    {"inplace/crowd-sleep", "crowd", CROWD("in place: all in Sleep")},
    {"pinned/crowd-sleep", "crowd", CROWD("pinned: all in Sleep")},
    {"peers/crowd-sleep-thread", "crowd", CROWD("threads: all in Sleep")},
    {"inplace/crowd-event", "crowd", CROWD("in place: each waits for an event")},
    {"pinned/crowd-event", "crowd", CROWD("pinned: each waits for an event")},
    {"peers/crowd-event-thread", "crowd", CROWD("threads: each waits for an event")},
    LANES_CATALOG(LANES_PROBES, "inplace"){0},
};

const struct catalog_ratio catalog_ratios[] = {
    {"yield-fiber", "yield+execute in place / SwitchToFiber round trip", "inplace/yield-1", "yield",
     "peers/fiber-trip", "trip", BAR_AT_MOST, 2.0},
    {"yield-slots-fiber", "the same, 32 TLS slots in use", "inplace/yield-slots", "yield",
     "peers/fiber-trip", "trip", BAR_AT_MOST, 2.0},
    {"yield-pinned", "yield+execute pinned / in place", "pinned/yield-1", "yield",
     "inplace/yield-1", "yield", BAR_AT_LEAST, 30.0},
    {"event-threads", "two threads' event ping-pong / two workers'", "peers/event-thread", "signal",
     "inplace/event", "signal", BAR_AT_LEAST, 5.0},
    {"yield-pinned-free", "yield+execute pinned / in place, free", "pinned/yield-1-free", "yield",
     "inplace/yield-1-free", "yield", BAR_NONE, 0.0},
    {"event-threads-free", "threads' event ping-pong / workers', free", "peers/event-thread-free",
     "signal", "inplace/event-free", "signal", BAR_NONE, 0.0},
    {"yield-1000-fibers", "yield+execute in place / fiber, 1000 in turn", "inplace/yield-1000",
     "yield", "peers/fibers-1000", "switch", BAR_NONE, 0.0},
    {"yield-address", "yield+execute pinned / WaitOnAddress round trip", "pinned/yield-1", "yield",
     "peers/address-thread", "trip", BAR_NONE, 0.0},
    {"home", "directed switch: pinned / in place", "pinned/home", "call", "inplace/home", "call",
     BAR_NONE, 0.0},
    {"event-pinned", "event ping-pong: workers pinned / in place", "pinned/event", "signal",
     "inplace/event", "signal", BAR_NONE, 0.0},
    {"semaphore-threads", "semaphores: threads / workers in place", "peers/semaphore-thread", "hop",
     "inplace/semaphore", "hop", BAR_NONE, 0.0},
    {"condition-threads", "condition: threads / workers in place", "peers/condition-thread",
     "handover", "inplace/condition", "handover", BAR_NONE, 0.0},
    {"section-threads", "section: threads / workers in place", "peers/section-thread", "entry",
     "inplace/section", "entry", BAR_NONE, 0.0},
    {"mutex-threads", "mutex: threads / workers in place", "peers/mutex-thread", "entry",
     "inplace/mutex", "entry", BAR_NONE, 0.0},
    {"crowd-sleep-wakeups", "wake-ups to let a sleeper go: pinned / in place", "pinned/crowd-sleep",
     "each", "inplace/crowd-sleep", "each", BAR_NONE, 0.0},
    {"crowd-event-wakeups", "wake-ups to let a waiter go: pinned / in place", "pinned/crowd-event",
     "each", "inplace/crowd-event", "each", BAR_NONE, 0.0},
    {"create-thread", "create-run-join: worker in place / thread", "inplace/create", "create",
     "peers/create-thread", "create", BAR_AT_MOST, 1.2},
    LANES_CATALOG(LANES_RATIO, "inplace"){0},
};
