/* SPDX-License-Identifier: MIT
 *
 * lane_parts.h - what a lane is made of: each part has its file, and its own locks.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_PARTS_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_LANE_PARTS_H

#include <pthread.h>

#include "platform/chain.h"
#include "platform/linux/plat_types.h"

enum {
    MAX_DEFERRED = 16,
    PARTNERS = 64,
    WATCHED_FILES = 256,
    WATCHED_NUMBERS = 1024,
    LANE_SHOWS = 8
};
enum { KEPT_NUMBERS = 256 };

struct fault_files;
struct home;

/* Homes that no worker has now (threads/home_stock.c). */
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
    unsigned kept;      /* its share of the homes that idle lanes may keep */
    unsigned strangers; /* births in a row that asked for another size */
    size_t stack_bytes; /* theirs */
    uint64_t asked_at;  /* the last birth */
    struct spare_home spares[MOST_SPARE_HOMES];
};

/* Calls that have just blocked and are not given to anybody yet (calls/poller.c, calls/tick.c). */
struct deferral {
    PLAT_LOCK(ARMING) arming; /* one thread at a time arms calls, so they stay in order */
    PLAT_LOCK(DEFERRAL) lock;
    struct call *calls[MAX_DEFERRED]; /* oldest first */
    unsigned count;
    uint64_t partners[PARTNERS];     /* by the number that is written to (poller.c) */
    uint8_t partners_away[PARTNERS]; /* writes whose partner did not wait */
    uint64_t numbers;         /* a bit for each descriptor by which one waits, or has waited */
    unsigned fruitless;       /* times in a row that they were asked and none had anything */
    unsigned fruitless_waits; /* calls that blocked while that was so */
    bool ticking;             /* the tick is set */
    bool since_tick;          /* a call was put there since the last */
    struct call *slept_on[MAX_DEFERRED]; /* file_sleep.c; NULL: a thread has taken it */
    unsigned slept_on_count;
    unsigned asked;       /* by the sleeper: its call's number plus one; 0: none */
    bool sleeper_told;    /* it is to leave its sleep, or has */
    unsigned vain_sleeps; /* the sleeper's, both: in a row */
    unsigned sleeps_to_skip;
    unsigned worth_waiting; /* so many calls may be deferred though writes serve none of them */
    struct plat_timer tick;
    uint32_t ticks; /* how many there were */
};

/* A number that workers wait for again and again (calls/kept_number.c). */
struct kept_number {
    int number;         /* plus one; 0: none */
    bool placed;        /* it has a place in the epoll set */
    unsigned waits;     /* there were, without */
    uint64_t file[2];   /* device and inode of what it was when it got the place */
    struct call *front; /* who waits there */
};

/* Calls whose files the poller watches (calls/watched.c, calls/watch_queue.c). */
struct readiness {
    PLAT_LOCK(SERVING) serving; /* whoever serves events of the poller's set */
    PLAT_LOCK(WATCHED) lock;
    bool unwatched;              /* nothing tells of the set's events */
    uint64_t serve_at;           /* a worker does not before */
    uint64_t serve_pause;        /* what was between the last two times */
    _Atomic uint32_t resting;    /* futex: the poller does not look at the set */
    _Atomic bool awake;          /* the scheduler that fell asleep or woke last */
    _Atomic bool slept_in;       /* a scheduler sleeps in the set, or is about to, or has just */
    int kick_fd;                 /* in the set: wakes a scheduler that sleeps there; -1: none */
    _Atomic bool slept_in_files; /* that scheduler does, in files and the set (file_sleep.c) */
    bool files_refused;          /* the kernel, or a sandbox, refuses that */
    int bell_fd;                 /* not in the set: wakes that scheduler; -1: none */
    uint16_t turns;              /* the last call's that came */
    _Atomic uint32_t slept;      /* times that a scheduler fell asleep */
    uint32_t slept_before;       /* the poller's: at its last turn */
    CHAIN_OF(struct call) watched;
    struct call *fronts[WATCHED_FILES]; /* those in front of their queues, by file */
    /* How many are watched by the descriptor's number, to read and to write. */
    uint16_t numbers[2][WATCHED_NUMBERS];
    struct kept_number kept[KEPT_NUMBERS];
};

/* The ring by which files are tried (calls/attempt_ring.c). */
struct attempts {
    PLAT_LOCK(ATTEMPT) lock;
    struct attempt_ring *ring;
    bool refused; /* there can be none */
};

/* Opens that nobody has looked at (traps/open_call.c). */
struct opens {
    _Atomic bool wanted, runs; /* the timer: since it fired last there was one; it is set */
    _Atomic bool refused;      /* the carriers cannot be told; or opens are lent (lent_call.h) */
    _Atomic unsigned looks;    /* so many paths are to be looked at first */
    struct plat_timer timer;
};

/* Carriers, and schedulers that want one (switch/lane.c, switch/carrier.c, traps/lanes.c). */
struct hosting {
    PLAT_LOCK(LANE) lock;
    bool hosts;           /* it has carriers, whose calls are seen */
    struct carrier *idle; /* last in, first out: the warm ones */
    unsigned idle_count;
    unsigned coming; /* carriers created that have not shown themselves yet */
    struct plat_context *starving, **starving_end; /* schedulers that wait for a carrier */
    unsigned starving_count;
    unsigned schedulers; /* that live here */
    unsigned carriers;   /* that there are */
    bool exhausted;      /* the last one that was wanted could not be created */
    pthread_t spawner;
    _Atomic uint32_t spawner_word; /* futex: 1 when carriers run low */
    _Atomic int ready;             /* spawner: 0 starting, 1 up, -errno */
    _Atomic int stocked; /* spawner: 0 not yet, 1 there are carriers, -errno: there is none */
    struct opens opens;
};

/* A thread that looks for page faults of the lane's carriers (traps/idle_watch.c). */
struct idle_watch {
    _Atomic bool watched_over;       /* there is one */
    _Atomic pid_t shown[LANE_SHOWS]; /* by scheduler: the carrier, while it does not sleep */
    struct fault_files *files;       /* the thread's own */
    _Atomic uint32_t waits;          /* futex: 1 while none is shown */
};

#endif
