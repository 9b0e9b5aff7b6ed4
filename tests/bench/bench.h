/* SPDX-License-Identifier: MIT
 *
 * bench.h - what the benchmark driver and its probes share.
 *
 * A probe measures one thing in a process of its own and prints "name value" lines; the driver
 * (ums_bench) starts the probes in turn, ours and the peers' interleaved, and makes the report.
 * So nothing a probe leaves behind (threads, memory, pools) reaches the next one, a hang costs one
 * probe, and the peers run in processes that umsshim is not even loaded into.
 */
#ifndef UMSSHIM_TESTS_BENCH_BENCH_H
#define UMSSHIM_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much one sample does. Two sets: full, and quick (a few seconds for everything). */
struct bench_scale {
    uint64_t yields;        /* switches in one sample */
    uint64_t handovers;     /* condition-variable hand-overs in one sample */
    uint64_t signals;       /* of workers or fibers to each other in one sample */
    uint64_t entries;       /* into a contended section in one sample */
    uint64_t trips;         /* pipe round trips in one sample */
    uint64_t calls;         /* system calls in one sample */
    uint64_t creates;       /* create-run-finish cycles in one sample */
    uint64_t growth_yields; /* yields between the two readings of the memory */
    unsigned crowd;         /* "10,000": workers alive in the crowd probes */
    unsigned crowd_blocked; /* "1,000": of them blocked in read */
    unsigned window_ms;     /* length of a throughput window; over which deadlines are spread */
    unsigned ring;          /* members of the ring of semaphores */
    unsigned line_few;      /* members of the line at one pipe, and of the long one */
    unsigned line_many;
    unsigned sleep_ms; /* how long the crowd sleeps, at least */
};

/* In the driver: the scale for a mode. In a probe: the scale it was started with. */
const struct bench_scale *bench_scale_for(bool quick);

/* ---- For probes (support.c, memory.c; posix.c or windows/system.c) ------------------------------
 */

uint64_t bench_now_ns(void); /* monotonic, no system call */

/* Processor time of the process so far. */
uint64_t bench_processor_ns(void);

/* xorshift64*: reproducible, for shuffling. The state must not be 0. */
uint64_t bench_random(uint64_t *state);

/* One result. The driver knows the names (catalog.c). */
void bench_emit(const char *name, double value);

/* Ends the probe with one line on stderr; errno's text is added when saved_errno is not 0. */
void bench_fail(const char *what, int saved_errno) __attribute__((noreturn));

/* The same where the probe cannot measure what it says since something took longer than it allowed for. The
 * driver starts it again, and it multiplies what it allows by bench_patience: 1, then 2, 4, 8, 16. */
enum { BENCH_NO_TIME = 75 };
extern unsigned bench_patience;
void bench_no_time(const char *what) __attribute__((noreturn));

/* Ends the process at once: what the probe leaves behind is nobody's business any more. */
void bench_end(int status) __attribute__((noreturn));

/* Ends the process from outside if it is still there after so many seconds. */
void bench_limit(unsigned seconds);

/* Pins the process (call before it has threads) to the last core it may use. */
void bench_pin_one_core(void);

/* How many processors the process may use, and pins the calling thread to one of them, counted from 0. */
unsigned bench_processors(void);
void bench_pin_thread(unsigned which);

/* Lets the process have as many open files as its hard limit allows; fails if below wanted. */
void bench_need_files(unsigned wanted);

/* Resident memory of this process in bytes, counted page by page (not the kernel's batched
 * per-CPU counters, which are off by up to some dozens of pages). */
uint64_t bench_resident_bytes(void);

/* The part of it that no file stands behind: what grows when something leaks. Pages of programs and
 * libraries come and go with the page cache, sixteen at a time. */
uint64_t bench_anonymous_bytes(void);

struct bench_kernel_memory {
    uint64_t stacks_tables_slab; /* KernelStack + PageTables + SUnreclaim of the machine, bytes */
    uint64_t available;          /* MemAvailable of the machine, bytes */
};
struct bench_kernel_memory bench_kernel_memory_read(void);

/* What a footprint probe does: read before, make the crowd, read after, print the differences. */
struct bench_footprint {
    uint64_t resident;
    struct bench_kernel_memory kernel;
};
struct bench_footprint bench_footprint_read(void);
void bench_footprint_emit(const struct bench_footprint *before, unsigned count);

/* ---- The runner tables ----------------------------------------------------------------------- */

struct bench_runner {
    const char *name; /* the probe's name in the catalog */
    void (*run)(const struct bench_scale *scale);
    bool one_core; /* pinned before run is called */
};

/* The main function of a probe executable: argv is NAME and "full" or "quick". */
int bench_probe_main(int argc, char **argv, const struct bench_runner *runners);

#ifdef __cplusplus
}
#endif

#endif
