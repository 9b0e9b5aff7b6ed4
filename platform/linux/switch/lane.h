/* SPDX-License-Identifier: MIT
 *
 * lane.h - what any thread may do to a lane.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_H

#include <stddef.h>

#include "platform/linux/switch/lane_parts.h"

enum { FUTEX_BUCKETS = 256 };

struct broker;

struct lane {
    int cpu;
    int listener;
    int wake_fd; /* wake_file.h: something is in the inbox */
    int epoll;   /* the poller's set */
    struct readiness readiness;
    struct deferral deferral;
    _Atomic uint64_t
        futexes[FUTEX_BUCKETS / 64]; /* buckets that may hold waits of the lane (futex_table.c) */
    uint64_t wake_count;             /* where the ring reads wake_fd to */
    struct ring *ring;               /* ring.c */
    bool have_ring;
    struct attempts attempts;
    _Atomic(struct call *) inbox;     /* calls of workers that left in user mode */
    _Atomic(struct call *) cancelled; /* calls to let go */
    int cancel_fd; /* wake_file.h, in the poller's set: look for cancelled calls */
    pthread_t reactor, poller;
    pid_t reactor_tid;
    _Atomic int reactor_tried; /* futex: 0 not yet, 1 it can answer, -errno: a sandbox refuses it */
    struct hosting hosting;
    _Atomic uint32_t reactor_go;     /* futex: 0, or an enum reactor_go */
    _Atomic uint32_t reactor_up;     /* futex */
    _Atomic(struct broker *) broker; /* makes threads for its workers; NULL: the program's does */
    struct idle_watch idle_watch;
    _Alignas(64) struct home_stock homes;
};
_Static_assert(offsetof(struct lane, cpu) == 0, "plat_lane_cpu reads it");

void lane_bind(const struct lane *lane); /* keeps the calling engine thread on its processor */

/* Has some idle carrier load the scheduler; at once if there is one. */
void lane_host(struct lane *lane, struct plat_context *scheduler);
/* The same in two steps, for a caller that has something to do in between. */
struct carrier *lane_reserve(struct lane *lane, struct plat_context *scheduler);
void lane_assign(struct lane *lane, struct carrier *carrier, struct plat_context *scheduler);
/* Takes a scheduler back that still waits for a carrier because of this worker: false when it does
 * not, or no longer. */
bool lane_unhost(struct lane *lane, struct plat_context *scheduler, struct plat_context *worker);

/* Tells idle_watch of the scheduler again: its carrier, its processors or its sleep have
 * changed. */
void lane_show(const struct plat_context *scheduler);

/* Leaves the call of a worker in user mode with the reactor; its baton opens when it is over. */
void lane_post(struct lane *lane, struct call *call, int how);
/* Has the ring let go of the call's request, if there is one. */
void lane_cancel(struct lane *lane, struct call *call);

#endif
