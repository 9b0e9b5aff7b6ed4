/* SPDX-License-Identifier: MIT
 *
 * carrier.h - carriers: kernel threads that run whatever context is loaded on them.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_CARRIER_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_CARRIER_H

#include <sched.h>

#include "platform/linux/plat_types.h"

struct carrier {
    struct plat_context *context;   /* the worker that is loaded; NULL: the scheduler is */
    _Atomic uint32_t word;          /* futex of an idle carrier: 1 when `assigned` is written */
    struct plat_context *assigned;  /* the scheduler to load */
    struct plat_context *scheduler; /* the scheduler that has this carrier; NULL: idle */
    struct carrier *next_idle;
    struct lane *lane;
    uintptr_t fs_base;
    void *base_sp; /* where the idle loop starts over */
    pid_t tid;
    _Atomic uint32_t messages; /* how many messages the reactor has sent it: traps/messenger.h */
    _Atomic uint32_t came;     /* how many of them have come; the carrier writes it */
    bool seen;                 /* counted among the lane's carriers */
    bool traps_refused; /* the filter that traps cannot be put on top of the other (libc/trap.c) */
    cpu_set_t affinity; /* the processors of this kernel thread */
    struct niceness niceness;
};

void *carrier_main(void *lane);
void scheduler_affinity(struct plat_context *scheduler, const cpu_set_t *allowed);
/* The worker has ended, and its stack was left: the home thread goes on. */
void worker_go_home(struct plat_context *worker);
/* On a worker whose scheduler was taken while its carrier slept (interrupt/fault.h): the sleep is
 * over. Leaves the carrier, and returns when the worker is executed again. */
void carrier_arrive(struct plat_context *worker);

#endif
