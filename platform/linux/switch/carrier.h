/* SPDX-License-Identifier: MIT
 *
 * carrier.h - kernel threads that lend their processor.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_CARRIER_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_CARRIER_H

#include <sched.h>

#include "platform/linux/plat_types.h"

struct carrier {
    struct plat_context *context;   /* the worker loaded, NULL: the scheduler */
    _Atomic uint32_t word;          /* futex of an idle carrier: 1 when assigned was written */
    struct plat_context *assigned;  /* the scheduler to load */
    struct plat_context *scheduler; /* whose processor this is, NULL: idle */
    struct plat_context *answer;    /* the worker whose call to answer once on our own stack */
    struct carrier *next_idle;
    struct lane *lane;
    uintptr_t fs_base;
    void *base_sp; /* where the idle loop starts over */
    pid_t tid;
    bool seen;             /* counted among the lane's carriers */
    struct plat_lock lock; /* the notification's id against its restart */
    struct call
        *standing; /* under the lock: the call whose notification waits for its worker's turn */
    _Atomic bool
        signal_due;     /* raised under the lock, with the signal sent; lowered by its handler */
    cpu_set_t affinity; /* what this kernel thread has */
    struct niceness niceness;
};

void *carrier_main(void *lane);
void scheduler_affinity(struct plat_context *scheduler, const cpu_set_t *allowed);
/* The worker has ended, and its stack was left: the home thread goes on. */
void worker_go_home(struct plat_context *worker);
/* On the carrier of a terminated worker, on that worker's stack: leaves it to its home. */
_Noreturn void carrier_abandon(struct plat_context *worker);

#endif
