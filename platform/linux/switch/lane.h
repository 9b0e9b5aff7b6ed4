/* SPDX-License-Identifier: MIT
 *
 * lane.h - a lane, and the functions on it that any thread may call.
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
    int wake_fd; /* wake_file.h: readable when the inbox has calls */
    int epoll;   /* the poller's set */
    struct readiness readiness;
    struct deferral deferral;
    _Atomic uint64_t
        futexes[FUTEX_BUCKETS / 64]; /* buckets that may hold waits of the lane (futex_table.c) */
    uint64_t wake_count;             /* the ring reads wake_fd into this */
    struct ring *ring;               /* ring.c */
    bool have_ring;
    struct attempts attempts;
    _Atomic(struct call *) inbox;     /* calls of workers that left in user mode */
    _Atomic(struct call *) cancelled; /* calls that are to be cancelled */
    int cancel_fd; /* wake_file.h, in the poller's set: tells it of cancelled calls */
    pthread_t reactor, poller;
    pid_t reactor_tid;
    _Atomic int reactor_tried; /* futex: 0 not tried yet, 1 the reactor can answer, -errno: a
                                * sandbox refuses that */
    struct hosting hosting;
    _Atomic uint32_t reactor_go;     /* futex: 0, or an enum reactor_go */
    _Atomic uint32_t reactor_up;     /* futex */
    _Atomic(struct broker *) broker; /* makes threads for its workers; NULL: the common broker
                                      * does */
    struct idle_watch idle_watch;
    _Alignas(64) struct home_stock homes;
};
_Static_assert(offsetof(struct lane, cpu) == 0, "plat_lane_cpu reads it");

void lane_bind(const struct lane *lane); /* keeps the calling engine thread on its processor */

/* Has an idle carrier load the scheduler, at once or as soon as there is one. */
void lane_host(struct lane *lane, struct plat_context *scheduler);
/* The same in two steps, for a caller that does something in between. */
struct carrier *lane_reserve(struct lane *lane, struct plat_context *scheduler);
void lane_assign(struct lane *lane, struct carrier *carrier, struct plat_context *scheduler);
/* Takes back a scheduler that waits for a carrier because this worker has left it. False: it does
 * not wait, or no longer. */
bool lane_unhost(struct lane *lane, struct plat_context *scheduler, struct plat_context *worker);

/* Tells idle_watch of the scheduler again: its carrier, its processors or its sleep have
 * changed. */
void lane_show(const struct plat_context *scheduler);

/* Gives the call of a worker that left in user mode to the reactor. The call's baton is posted when
 * it is over. */
void lane_post(struct lane *lane, struct call *call, int how);
/* Has the ring cancel the call's request, if there is a ring. */
void lane_cancel(struct lane *lane, struct call *call);

#endif
