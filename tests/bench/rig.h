/* SPDX-License-Identifier: MIT
 *
 * rig.h - the documented scheduler, as small as it gets: what every UMS probe runs its workers on.
 *
 * In each activation it takes everything off its completion list with time-out 0, drains the chain
 * into its own intrusive ready queue, puts a worker that yielded at the queue's end, takes the
 * first and executes it. With nothing ready it waits on the list.
 */
#ifndef UMSSHIM_TESTS_BENCH_RIG_H
#define UMSSHIM_TESTS_BENCH_RIG_H

#include <windows.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../support/ums_kit.h"

struct rig;

struct rig_worker {
    struct rig_worker *next; /* in the ready queue; the scheduler's */
    PUMS_CONTEXT context;
    struct rig *rig;
    void (*body)(struct rig_worker *self);
    void *arg;
    unsigned index;
    HANDLE thread;
} __attribute__((aligned(64)));

/* One scheduler's. The counts are written by the scheduler alone; others may read them. */
struct rig {
    struct rig_worker *first;
    struct rig_worker **last;
    PUMS_COMPLETION_LIST list;
    atomic_ulong activations[3]; /* by reason */
    _Atomic uint64_t last_blocked_ns;
    bool stamp_blocked; /* keep last_blocked_ns: when the last Blocked activation came */
    bool leave;         /* set by a worker: leave UMS mode at the next activation */
    unsigned alive;     /* workers created and not yet seen terminated */
    unsigned added;
    const char *failure; /* set in the scheduler, reported after it left */
    unsigned long failure_error;
    struct rig_worker *workers; /* an array for all that will be added */
    unsigned capacity;
} __attribute__((aligned(64)));

/* All of these end the probe on failure. */
void rig_init(struct rig *rig, unsigned capacity);

/* A new worker; from any thread before the run, and from the rig's own workers during it. */
struct rig_worker *rig_add(struct rig *rig, void (*body)(struct rig_worker *self), void *arg);

/* The same body in a new worker, in the place of one that has ended and whose context is deleted. */
struct rig_worker *rig_again(struct rig_worker *worker);

/* The same bodies on plain threads, for comparison: rig is NULL in their worker, and there is no
 * context. Returns when all have ended (rig_threads.c). */
void rig_run_threads(unsigned count, void (*body)(struct rig_worker *self), void *arg);
/* One, in a process whose engine runs: call sites lead to the library by then. */
void rig_run_plain(void (*body)(struct rig_worker *self), void *arg);

/* Turns the calling thread into the scheduler until all workers ended or one set leave. */
void rig_run(struct rig *rig);

/* In a worker; rig_give_way also on a plain thread. */
static inline void rig_yield(struct rig_worker *self)
{
    UmsThreadYield(self);
}

static inline void rig_give_way(struct rig_worker *self)
{
    if (self->rig)
        rig_yield(self);
    else
        SwitchToThread();
}

#endif
