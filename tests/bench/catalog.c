/* SPDX-License-Identifier: MIT
 *
 * catalog.c - what is measured, beside what, and what counts as good enough.
 */
#include "catalog.h"
#include "lanes.h"

#include <stddef.h>

#define FOOTPRINT_VALUES                                                                           \
    {                                                                                              \
        {"resident", "resident, this process", "KiB each", ANY},                                   \
            {"kernel", "stacks, page tables, slab, whole machine", "KiB each", ANY},               \
            {"machine", "drop of MemAvailable, whole machine", "KiB each", ANY},                   \
    }

#define SLEEP_VALUES(who)                                                                          \
    {                                                                                              \
        {"asleep", who ": processor time while asleep", "us/s", ANY},                              \
            {"median", "  runs again after its time, median", "us", SOME},                         \
            {"p99", "  99 of 100 within", "us", SOME}, {"most", "  the latest", "us", SOME},       \
            {"wake", "  processor time to wake them, each", "us", SOME},                           \
            {"count", "  how many slept", "", SOME},                                               \
    }

#define BLOCK(name, what)                                                                          \
    {"ums/block-" name,                                                                            \
     "block",                                                                                      \
     {{"trip", "2 workers: " what, "us", SOME},                                                    \
      {"upcalls", "  Blocked activations in a round trip", "", ANY}}},                             \
    {                                                                                              \
        "peers/block-" name, "block",                                                              \
        {                                                                                          \
            {                                                                                      \
                "trip", "2 threads, one core: the same", "us", SOME                                \
            }                                                                                      \
        }                                                                                          \
    }

/* The same by other ways to see calls: child.c. Bare calls are not seen in libc. */
#define BLOCK_WAY(way, name, what)                                                                 \
    {                                                                                              \
        way "/block-" name, "block",                                                               \
        {                                                                                          \
            {"trip", "  " way ": " what, "us", SOME},                                              \
            {                                                                                      \
                "upcalls", "    Blocked activations in a round trip", "", ANY                      \
            }                                                                                      \
        }                                                                                          \
    }
#define BLOCK_WAYS(name, what)                                                                     \
    BLOCK_WAY("notify", name, what), BLOCK_WAY("traps", name, what),                               \
        BLOCK_WAY("library", name, what)

#define NOWAIT(name, what)                                                                         \
    {"ums/nowait-" name,                                                                           \
     "block",                                                                                      \
     {{"call", "worker: " what, "ns", SOME},                                                       \
      {"upcalls", "  Blocked activations for each", "", ANY}}},                                    \
    {                                                                                              \
        "peers/nowait-" name, "block",                                                             \
        {                                                                                          \
            {                                                                                      \
                "call", "thread: the same", "ns", SOME                                             \
            }                                                                                      \
        }                                                                                          \
    }

/* Beside a peer's of a process that has no engine. */
#define PLAIN(name, group, what)                                                                   \
    {                                                                                              \
        "ums/plain-" name, group,                                                                  \
        {                                                                                          \
            {                                                                                      \
                "call", "plain thread, engine running: " what, "ns", SOME                          \
            }                                                                                      \
        }                                                                                          \
    }

const struct catalog_probe catalog_probes[] = {
    {"ums/yield", "yield", {{"yield", "worker: yield + execute, 2 workers", "ns", SOME}}},
    {"peers/fiber-yield", "yield", {{"yield", "boost.fiber: yield, 2 fibers", "ns", SOME}}},
    {"peers/context-switch", "yield", {{"switch", "boost.context: one bare switch", "ns", SOME}}},
    {"peers/handover",
     "yield",
     {{"handover", "2 threads, one core: condition variable", "ns", SOME}}},

    {"ums/yield-crowd",
     "yield",
     {{"yield", "worker: yield + execute, crowd of workers", "ns", SOME}}},
    {"peers/fiber-yield-crowd",
     "yield",
     {{"yield", "boost.fiber: yield, crowd of fibers", "ns", SOME}}},

    {"ums/pipe",
     "pipe",
     {{"trip", "workers: pipe round trip, libc read and write", "us", SOME},
      {"upcalls", "  Blocked activations in a round trip", "", ANY}}},
    {"peers/pipe", "pipe", {{"trip", "2 threads, one core: pipe round trip", "us", SOME}}},
    {"ums/pipe-read-bare",
     "pipe",
     {{"trip", "workers: pipe round trip, bare read, libc write", "us", SOME},
      {"upcalls", "  Blocked activations in a round trip", "", ANY}}},
    {"ums/pipe-bare",
     "pipe",
     {{"trip", "workers: pipe round trip, bare read and write", "us", SOME},
      {"upcalls", "  Blocked activations in a round trip", "", ANY}}},

    BLOCK("pipe", "pipe, libc's read and write"),
    BLOCK("socketpair", "socket pair, send and recv"),
    BLOCK("bare", "pipe, bare system calls"),
    BLOCK("number", "pipe, by syscall()"),
    BLOCK("eventfd", "eventfd, read and write"),
    BLOCK("stdio", "stdio, fgetc and fputc on a pipe"),
    BLOCK("poll", "poll, then read"),
    BLOCK("epoll", "epoll_wait, then read"),
    BLOCK("condition", "pthread condition variable"),
    BLOCK("semaphore", "sem_post and sem_wait"),
    BLOCK("futex", "futex by syscall()"),
    BLOCK_WAYS("pipe", "pipe, libc's read and write"),
    BLOCK_WAYS("socketpair", "socket pair, send and recv"),
    BLOCK_WAY("notify", "bare", "pipe, bare system calls"),
    BLOCK_WAY("traps", "bare", "pipe, bare system calls"),
    BLOCK_WAYS("number", "pipe, by syscall()"),
    BLOCK_WAYS("eventfd", "eventfd, read and write"),
    BLOCK_WAYS("stdio", "stdio, fgetc and fputc on a pipe"),
    BLOCK_WAYS("poll", "poll, then read"),
    BLOCK_WAYS("epoll", "epoll_wait, then read"),
    BLOCK_WAYS("condition", "pthread condition variable"),
    BLOCK_WAYS("semaphore", "sem_post and sem_wait"),
    BLOCK_WAYS("futex", "futex by syscall()"),
    NOWAIT("open", "open and close /dev/null"),
    NOWAIT("write", "write to /dev/null"),
    PLAIN("open", "block", "open and close /dev/null"),
    PLAIN("write", "block", "write to /dev/null"),
    {"ums/line-few", "block", {{"each", "workers that read one pipe: let go, each", "us", SOME}}},
    {"peers/line", "block", {{"each", "as many threads, one core: the same", "us", SOME}}},
    {"ums/line-many", "block", {{"each", "a long line of workers: let go, each", "us", SOME}}},

    PLAIN("call", "call", "getppid"),
    PLAIN("instant", "call", "libc read or write that need not wait"),
    {"ums/call-allowed",
     "call",
     {{"call", "worker: getppid, which the filter allows", "ns", SOME},
      {"upcalls", "  Blocked activations meanwhile", "", ANY}}},
    {"peers/call", "call", {{"call", "thread: getppid", "ns", SOME}}},
    {"ums/call-instant",
     "call",
     {{"call", "worker: libc read or write that need not wait", "ns", SOME},
      {"upcalls", "  Blocked activations meanwhile", "", ANY}}},
    {"ums/call-instant-bare",
     "call",
     {{"call", "worker: bare read or write that need not wait", "ns", SOME},
      {"upcalls", "  Blocked activations meanwhile", "", ANY}}},
    {"peers/call-instant",
     "call",
     {{"call", "thread: libc read or write that need not wait", "ns", SOME}}},

    {"ums/read-cached",
     "port",
     {{"each", "port: 4 KiB of a file, cached, 32 at once", "ns", SOME}}},
    {"peers/read-cached", "port", {{"each", "kernel's ring: the same", "ns", MAYBE}}},
    {"ums/read-uncached",
     "port",
     {{"each", "port: 4 KiB of a file, not cached, 32 at once", "ns", SOME}}},
    {"peers/read-uncached", "port", {{"each", "kernel's ring: the same", "ns", MAYBE}}},
    {"ums/named-pipe", "port", {{"trip", "2 workers: named pipe round trip", "us", SOME}}},
    {"ums/named-pipe-processes",
     "port",
     {{"trip", "workers of 2 processes: named pipe round trip", "us", SOME}}},
    {"peers/port-socketpair",
     "port",
     {{"trip", "2 threads, one core: socket pair round trip", "us", SOME}}},

    {"server/port",
     "server",
     {{"rate", "server on a port: requests a second", "", SOME},
      {"median", "  latency, median", "us", SOME},
      {"p99", "  latency, p99", "us", SOME},
      {"processor", "  processor time of the server, a request", "us", ANY}}},
    {"server/epoll",
     "server",
     {{"rate", "server on epoll: requests a second", "", SOME},
      {"median", "  latency, median", "us", SOME},
      {"p99", "  latency, p99", "us", SOME},
      {"processor", "  processor time of the server, a request", "us", ANY}}},

    {"ums/create", "create", {{"create", "worker: create, run, join", "us", SOME}}},
    {"peers/create-thread", "create", {{"create", "thread: create, run, join", "us", SOME}}},
    {"ums/create-left",
     "create",
     {{"create", "the same, worker with an object, a key, errno", "us", SOME}}},
    {"peers/create-thread-left",
     "create",
     {{"create", "the same, thread with an object, a key, errno", "us", SOME}}},
    {"peers/create-fiber", "create", {{"create", "boost.fiber: launch, run, join", "us", SOME}}},

    {"ums/footprint", "footprint", FOOTPRINT_VALUES},
    {"peers/footprint-thread", "footprint", FOOTPRINT_VALUES},
    {"peers/footprint-fiber", "footprint", FOOTPRINT_VALUES},

    {"ums/crowd",
     "crowd",
     {{"start", "crowd on 2 schedulers: create all, run each once", "ms", SOME},
      {"free", "  yields, nobody blocked", "M/s", SOME},
      {"block", "  block a tenth of them in read", "ms", SOME},
      {"meanwhile", "  yields of the others meanwhile", "M/s", SOME},
      {"wake", "  wake them all, writing included", "ms", SOME},
      {"late", "  wake them all, after the last write", "ms", ANY}}},
    {"peers/crowd-wake",
     "crowd",
     {{"wake", "threads, nothing else busy: wake as many", "ms", SOME}}},

    {"ums/growth",
     "growth",
     {{"growth", "worker: private memory gained over the yields", "KiB", ANY}}},

    {"ums/event",
     "wait",
     {{"signal", "2 workers: SetEvent and wait", "ns", SOME},
      {"upcalls", "  Blocked activations for each", "", ANY}}},
    {"peers/event-fiber", "wait", {{"signal", "2 boost.fibers: condition variable", "ns", SOME}}},
    {"peers/event-thread",
     "wait",
     {{"handover", "2 threads, one core: condition variable", "ns", SOME}}},
    {"ums/event-threads",
     "wait",
     {{"signal", "2 threads, one core: SetEvent and wait", "ns", SOME}}},
    {"ums/section-2",
     "wait",
     {{"entry", "2 workers: an entry to the critical section", "ns", SOME},
      {"upcalls", "  Blocked activations for each", "", ANY}}},
    {"peers/section-2-fiber",
     "wait",
     {{"entry", "2 boost.fibers: the same with their mutex", "ns", SOME}}},
    {"peers/section-2-thread",
     "wait",
     {{"entry", "2 threads, one core: the same, pthread_mutex", "ns", SOME}}},
    {"ums/section-8",
     "wait",
     {{"entry", "8 workers: an entry to the critical section", "ns", SOME},
      {"upcalls", "  Blocked activations for each", "", ANY}}},
    {"peers/section-8-fiber",
     "wait",
     {{"entry", "8 boost.fibers: the same with their mutex", "ns", SOME}}},
    {"peers/section-8-thread",
     "wait",
     {{"entry", "8 threads, one core: the same, pthread_mutex", "ns", SOME}}},
    {"ums/ring", "wait", {{"hop", "ring of workers: release and wait, semaphores", "ns", SOME}}},
    {"peers/ring-fiber",
     "wait",
     {{"hop", "ring of boost.fibers: the same, mutex + condition", "ns", SOME}}},
    {"peers/ring-thread",
     "wait",
     {{"hop", "ring of threads, one core: the same, sem_t", "ns", SOME}}},

    {"ums/sleep", "sleep", SLEEP_VALUES("workers, alike")},
    {"peers/sleep-fiber", "sleep", SLEEP_VALUES("boost.fibers, alike")},
    {"peers/sleep-thread", "sleep", SLEEP_VALUES("threads, alike")},
    {"ums/sleep-spread", "sleep", SLEEP_VALUES("workers, spread")},
    {"peers/sleep-spread-fiber", "sleep", SLEEP_VALUES("boost.fibers, spread")},
    {"peers/sleep-spread-thread", "sleep", SLEEP_VALUES("threads, spread")},
    {"ums/sleep-together", "sleep", SLEEP_VALUES("workers, together")},
    {"peers/sleep-together-fiber", "sleep", SLEEP_VALUES("boost.fibers, together")},
    {"peers/sleep-together-thread", "sleep", SLEEP_VALUES("threads, together")},

    LANES_CATALOG(LANES_PROBES, "ums"){0},
};

#define BLOCK_RATIO(name, what, bound)                                                             \
    {                                                                                              \
        "block-" name, what ", 2 workers / 2 threads", "ums/block-" name, "trip",                  \
            "peers/block-" name, "trip", BAR_AT_MOST, bound                                        \
    }

#define TRAP_RATIO(name, what)                                                                     \
    {                                                                                              \
        "traps-" name, what ", trapped / notified", "traps/block-" name, "trip",                   \
            "notify/block-" name, "trip", BAR_AT_MOST, 0.6                                         \
    }

#define PLAIN_RATIO(name, what, peer)                                                              \
    {                                                                                              \
        "plain-" name, what ", plain thread with / without an engine", "ums/plain-" name, "call",  \
            "peers/" peer, "call", BAR_AT_MOST, 1.03                                               \
    }

const struct catalog_ratio catalog_ratios[] = {
    {"yield", "yield + execute / boost.fiber yield, 2 workers", "ums/yield", "yield",
     "peers/fiber-yield", "yield", BAR_AT_MOST, 0.8},
    {"yield-crowd", "yield + execute / boost.fiber yield, crowd", "ums/yield-crowd", "yield",
     "peers/fiber-yield-crowd", "yield", BAR_AT_MOST, 1.0},
    {"handover", "condition-variable hand-over / yield + execute", "peers/handover", "handover",
     "ums/yield", "yield", BAR_AT_LEAST, 100.0},
    {"switch", "yield + execute / bare boost.context switch", "ums/yield", "yield",
     "peers/context-switch", "switch", BAR_NONE, 0.0},
    {"pipe", "pipe round trip, libc calls / 2 threads", "ums/pipe", "trip", "peers/pipe", "trip",
     BAR_AT_MOST, 3.5},
    {"pipe-read-bare", "pipe round trip, bare read / 2 threads", "ums/pipe-read-bare", "trip",
     "peers/pipe", "trip", BAR_AT_MOST, 3.5},
    {"pipe-bare", "pipe round trip, all bare / 2 threads", "ums/pipe-bare", "trip", "peers/pipe",
     "trip", BAR_AT_MOST, 3.5},
    BLOCK_RATIO("pipe", "pipe, read and write", 1.0),
    BLOCK_RATIO("socketpair", "socket pair, send and recv", 1.0),
    BLOCK_RATIO("bare", "pipe, bare system calls", 1.0),
    BLOCK_RATIO("number", "pipe, by syscall()", 1.0),
    BLOCK_RATIO("eventfd", "eventfd, read and write", 1.0),
    BLOCK_RATIO("stdio", "stdio on a pipe", 1.0),
    BLOCK_RATIO("poll", "poll, then read", 1.0),
    BLOCK_RATIO("epoll", "epoll_wait, then read", 1.0),
    BLOCK_RATIO("condition", "pthread condition variable", 0.15),
    BLOCK_RATIO("semaphore", "sem_post and sem_wait", 0.15),
    BLOCK_RATIO("futex", "futex by syscall()", 0.15),
    TRAP_RATIO("pipe", "pipe, read and write"),
    TRAP_RATIO("socketpair", "socket pair, send and recv"),
    TRAP_RATIO("bare", "pipe, bare system calls"),
    TRAP_RATIO("number", "pipe, by syscall()"),
    TRAP_RATIO("eventfd", "eventfd, read and write"),
    TRAP_RATIO("stdio", "stdio on a pipe"),
    TRAP_RATIO("poll", "poll, then read"),
    TRAP_RATIO("epoll", "epoll_wait, then read"),
    TRAP_RATIO("condition", "pthread condition variable"),
    TRAP_RATIO("semaphore", "sem_post and sem_wait"),
    TRAP_RATIO("futex", "futex by syscall()"),
    {"nowait-open", "open and close /dev/null, worker / thread", "ums/nowait-open", "call",
     "peers/nowait-open", "call", BAR_AT_MOST, 1.15},
    {"nowait-write", "write to /dev/null, worker / thread", "ums/nowait-write", "call",
     "peers/nowait-write", "call", BAR_AT_MOST, 1.15},
    PLAIN_RATIO("open", "open and close /dev/null", "nowait-open"),
    PLAIN_RATIO("write", "write to /dev/null", "nowait-write"),
    PLAIN_RATIO("call", "getppid", "call"),
    PLAIN_RATIO("instant", "write or read of a pipe", "call-instant"),
    {"line-threads", "readers of one pipe, workers / threads", "ums/line-few", "each", "peers/line",
     "each", BAR_AT_MOST, 1.5},
    {"line-long", "readers of one pipe, long line / short line", "ums/line-many", "each",
     "ums/line-few", "each", BAR_AT_MOST, 1.5},
    {"call-allowed", "allowed call / same call of a thread", "ums/call-allowed", "call",
     "peers/call", "call", BAR_NONE, 0.0},
    {"call-instant", "call without wait, libc / same of a thread", "ums/call-instant", "call",
     "peers/call-instant", "call", BAR_NONE, 0.0},
    {"call-instant-bare", "call without wait, bare / same of a thread", "ums/call-instant-bare",
     "call", "peers/call-instant", "call", BAR_NONE, 0.0},
    {"read-cached", "cached reads at depth 32, kernel's ring / port", "peers/read-cached", "each",
     "ums/read-cached", "each", BAR_AT_LEAST, 0.8},
    {"read-uncached", "uncached reads at depth 32, kernel's ring / port", "peers/read-uncached",
     "each", "ums/read-uncached", "each", BAR_AT_LEAST, 0.95},
    {"named-pipe", "named pipe, 2 workers / socket pair, 2 threads", "ums/named-pipe", "trip",
     "peers/port-socketpair", "trip", BAR_AT_MOST, 1.0},
    {"named-pipe-processes", "named pipe, 2 processes / socket pair, 2 threads",
     "ums/named-pipe-processes", "trip", "peers/port-socketpair", "trip", BAR_AT_MOST, 1.3},
    {"server-rate", "requests a second, server on a port / on epoll", "server/port", "rate",
     "server/epoll", "rate", BAR_AT_LEAST, 0.95},
    {"server-p99", "p99 of the latency, server on a port / on epoll", "server/port", "p99",
     "server/epoll", "p99", BAR_AT_MOST, 1.1},
    {"server-processor", "processor time a request, server on a port / on epoll", "server/port",
     "processor", "server/epoll", "processor", BAR_NONE, 0.0},
    {"create-thread", "create-run-join / thread", "ums/create", "create", "peers/create-thread",
     "create", BAR_NONE, 0.0},
    {"create-thread-left", "create-run-join with an object, a key, errno / thread",
     "ums/create-left", "create", "peers/create-thread-left", "create", BAR_NONE, 0.0},
    {"create-fiber", "create-run-join / boost.fiber", "ums/create", "create", "peers/create-fiber",
     "create", BAR_NONE, 0.0},
    /* Four pages: what reading the memory may touch by itself. */
    {"growth", "private memory gained over the yields, KiB", "ums/growth", "growth", NULL, NULL,
     BAR_AT_MOST, 16.0},
    {"event-fiber", "SetEvent and wait / boost.fiber condition variable", "ums/event", "signal",
     "peers/event-fiber", "signal", BAR_AT_MOST, 1.2},
    {"event-thread", "condition variable, 2 threads / SetEvent and wait", "peers/event-thread",
     "handover", "ums/event", "signal", BAR_AT_LEAST, 25.0},
    {"event-threads", "our events, 2 threads / condition variable", "ums/event-threads", "signal",
     "peers/event-thread", "handover", BAR_NONE, 0.0},
    {"section-2-fiber", "contended section, 2 / boost.fiber mutex", "ums/section-2", "entry",
     "peers/section-2-fiber", "entry", BAR_NONE, 0.0},
    {"section-2-thread", "pthread_mutex, 2 threads / contended section", "peers/section-2-thread",
     "entry", "ums/section-2", "entry", BAR_NONE, 0.0},
    {"section-8-fiber", "contended section, 8 / boost.fiber mutex", "ums/section-8", "entry",
     "peers/section-8-fiber", "entry", BAR_NONE, 0.0},
    {"section-8-thread", "pthread_mutex, 8 threads / contended section", "peers/section-8-thread",
     "entry", "ums/section-8", "entry", BAR_NONE, 0.0},
    {"ring-fiber", "ring of semaphores / boost.fiber", "ums/ring", "hop", "peers/ring-fiber", "hop",
     BAR_NONE, 0.0},
    {"ring-thread", "ring of threads with sem_t / ring of semaphores", "peers/ring-thread", "hop",
     "ums/ring", "hop", BAR_NONE, 0.0},
    /* A thousandth of a processor: what the first wake-up and the reading itself come to. */
    {"sleep-cpu", "alike: processor time, all asleep, us/s", "ums/sleep", "asleep", NULL, NULL,
     BAR_AT_MOST, 1000.0},
    {"sleep-most", "alike: the latest runs again, us", "ums/sleep", "most", NULL, NULL, BAR_AT_MOST,
     5000.0},
    {"sleep-spread-cpu", "spread: processor time, all asleep, us/s", "ums/sleep-spread", "asleep",
     NULL, NULL, BAR_AT_MOST, 1000.0},
    {"sleep-spread-most", "spread: the latest runs again, us", "ums/sleep-spread", "most", NULL,
     NULL, BAR_AT_MOST, 5000.0},
    {"sleep-together-most", "together: the latest runs again, us", "ums/sleep-together", "most",
     NULL, NULL, BAR_NONE, 0.0},
    LANES_CATALOG(LANES_RATIO, "ums"){0},
};
