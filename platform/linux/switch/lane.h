/* SPDX-License-Identifier: MIT
 *
 * lane.h - what any thread may do to a lane.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_H

#include <pthread.h>

#include "platform/linux/plat_types.h"

enum {
    MAX_DEFERRED = 4,
    FUTEX_BUCKETS = 256,
    WATCHED_FILES = 256,
    WATCHED_NUMBERS = 1024,
    KEPT_NUMBERS = 256,
    LANE_SHOWS = 8
};

struct broker;
struct fault_files;
struct home;

/* Homes that no worker has yet (threads/home_stock.c). */
enum { MOST_SPARE_HOMES = 16 };
struct spare_home {
    struct lane *lane;
    size_t stack_bytes;
    bool coming; /* its thread is made, and has not shown itself yet */
};
struct home_stock {
    PLAT_LOCK(HOMES) lock;          /* the fields below */
    struct home *first;             /* last in, first out: the warm ones */
    _Atomic(struct home *) arrived; /* new ones; anybody pushes, who has the lock takes all */
    unsigned count, coming;
    unsigned wanted;    /* how many there should be */
    unsigned kept;      /* of those that idle lanes may keep, how many are this one's */
    unsigned strangers; /* births in a row that asked for another size */
    size_t stack_bytes; /* theirs */
    uint64_t asked_at;  /* the last birth */
    struct spare_home spares[MOST_SPARE_HOMES];
};

/* A number that workers wait for again and again (calls/kept_number.c). */
struct kept_number {
    int number;         /* plus one; 0: none */
    bool placed;        /* it has a place in the epoll set */
    unsigned waits;     /* there were, without */
    uint64_t file[2];   /* device and inode of what it was when it got the place */
    struct call *front; /* who waits there */
};

struct lane {
    int cpu;
    int listener;
    int wake_fd;                     /* wake_file.h: something is in the inbox */
    int epoll;                       /* the poller's set */
    bool unwatched;                  /* nothing tells of its events; under watched_lock */
    PLAT_LOCK(SERVING) serving_lock; /* whoever serves events of that set */
    uint64_t serve_at;               /* a worker does not before (watched.c) */
    uint64_t serve_pause;            /* what was between the last two times */
    _Atomic uint32_t resting;        /* futex: the poller does not look at the set */
    _Atomic bool awake;              /* the scheduler that fell asleep or woke last */
    _Atomic uint32_t slept;          /* times that a scheduler fell asleep */
    uint32_t slept_before;           /* the poller's: at its last turn */
    PLAT_LOCK(WATCHED) watched_lock;
    struct call *watched; /* calls whose readiness the poller waits for */
    struct call
        *fronts[WATCHED_FILES]; /* those in front of their queues, by file (watch_queue.c) */
    uint16_t watched_numbers
        [2][WATCHED_NUMBERS]; /* how many are watched by the descriptor's number, to read
                                                     and to write */
    struct kept_number kept[KEPT_NUMBERS]; /* under watched_lock */
    PLAT_LOCK(ARMING)
    arming_lock; /* one thread arms: those that blocked first are the first in line */
    PLAT_LOCK(DEFERRAL) deferral_lock;
    struct call *deferred[MAX_DEFERRED]; /* just blocked, not armed yet (poller.c); oldest first */
    unsigned deferred_count;
    unsigned
        fruitless; /* times in a row that the deferred calls were asked and none had anything */
    unsigned fruitless_waits; /* calls that blocked while that was so */
    bool ticking;             /* the tick is set */
    bool deferred_since_tick; /* somebody was put among the deferred since the last */
    struct plat_timer tick;
    uint32_t ticks; /* how many there were */
    _Atomic uint64_t
        futexes[FUTEX_BUCKETS / 64]; /* buckets that may hold waits of the lane (futex_table.c) */
    uint64_t wake_count;             /* where the ring reads wake_fd to */
    struct ring *ring;               /* ring.c */
    bool have_ring;
    PLAT_LOCK(ATTEMPT) attempt_lock;
    struct attempt_ring *attempt_ring; /* attempt_ring.c; both under that lock */
    bool attempts_refused;             /* there can be none */
    _Atomic(struct call *) inbox;      /* calls of workers that left in user mode */
    _Atomic(struct call *) cancelled;  /* calls to let go */
    int cancel_fd; /* wake_file.h, in the poller's set: look for cancelled calls */
    pthread_t reactor, poller, spawner;
    pid_t reactor_tid;
    PLAT_LOCK(LANE) lock; /* the fields below */
    struct carrier *idle; /* last in, first out: the warm ones */
    unsigned idle_count;
    unsigned coming; /* carriers created that have not shown themselves yet */
    struct plat_context *starving, **starving_end; /* schedulers that wait for a carrier */
    unsigned starving_count;
    unsigned schedulers;           /* that live here */
    unsigned carriers;             /* that there are */
    bool exhausted;                /* the last one that was wanted could not be created */
    _Atomic uint32_t spawner_word; /* futex: 1 when carriers run low */
    _Atomic int ready;             /* spawner: 0 starting, 1 up, -errno */
    _Atomic int stocked; /* spawner: 0 not yet, 1 there are carriers, -errno: there is none */
    bool hosts;          /* it has carriers, whose calls are seen */
    _Atomic uint32_t reactor_go;     /* futex: 0, or an enum reactor_go */
    _Atomic uint32_t reactor_up;     /* futex */
    _Atomic(struct broker *) broker; /* makes threads for its workers; NULL: the program's does */
    bool watched_over; /* somebody looks for page faults of its carriers (traps/idle_watch.c): */
    _Atomic pid_t shown[LANE_SHOWS];   /* by scheduler: the carrier, while it does not sleep */
    struct fault_files *watcher_files; /* its own */
    _Atomic uint32_t watcher_waits;    /* futex: 1 while none is shown */
    _Alignas(64) struct home_stock homes;
};

void lane_bind(const struct lane *lane); /* keeps the calling engine thread on its processor */

/* Has some idle carrier load the scheduler; at once if there is one. */
void lane_host(struct lane *lane, struct plat_context *scheduler);
/* The same in two steps, for a caller that has something to do in between. */
struct carrier *lane_reserve(struct lane *lane, struct plat_context *scheduler);
void lane_assign(struct lane *lane, struct carrier *carrier, struct plat_context *scheduler);
/* Takes a scheduler back that still waits for a carrier because of this worker: false when it does
 * not, or no longer. */
bool lane_unhost(struct lane *lane, struct plat_context *scheduler, struct plat_context *worker);

/* The scheduler's carrier, its processors or its sleep have changed. */
void lane_show(const struct plat_context *scheduler);

/* Leaves the call of a worker in user mode with the reactor; its baton opens when it is over. */
void lane_post(struct lane *lane, struct call *call, int how);
/* Has the ring let go of the call's request, if there is one. */
void lane_cancel(struct lane *lane, struct call *call);

#endif
