/* SPDX-License-Identifier: MIT
 *
 * lane_parts.h - the parts of a lane. Each part has its own files and locks.
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
    bool coming; /* its thread was made, but is not in the stock yet */
};
struct home_stock {
    PLAT_LOCK(HOMES) lock;          /* for the fields below */
    struct home *first;             /* last in, first out: caches are warm */
    _Atomic(struct home *) arrived; /* new homes; any thread pushes, a thread with the lock takes
                                     * all */
    unsigned count, coming;
    unsigned wanted;    /* how many homes the stock should have */
    unsigned kept;      /* how many of the homes that idle lanes may keep it has */
    unsigned strangers; /* births in a row that asked for another stack size */
    size_t stack_bytes; /* of its homes */
    uint64_t asked_at;  /* time of the last birth */
    struct spare_home spares[MOST_SPARE_HOMES];
};

/* What a scheduler that sleeps on files was told, for which it wakes. */
enum sleeper_told {
    TOLD_NOTHING,
    TOLD_OF_MORE, /* other calls are deferred: it looks at their files, too */
    TOLD_TO_LEAVE /* a call is no longer its own; or it is awake */
};

/* Calls that have just blocked and for which nothing is armed yet (calls/poller.c,
 * calls/tick.c). */
struct deferral {
    PLAT_LOCK(ARMING) arming; /* one thread at a time arms calls, so they stay in order */
    PLAT_LOCK(DEFERRAL) lock;
    struct call *calls[MAX_DEFERRED]; /* oldest first */
    unsigned count;
    uint64_t partners[PARTNERS];     /* by the descriptor's number that is written to (asking.c) */
    uint8_t partners_away[PARTNERS]; /* how many writes found that their partner did not wait */
    uint64_t numbers;         /* a bit for each descriptor for which a call waits or has waited */
    unsigned fruitless;       /* how often calls were asked for nothing, less two for each that had
                               * something; within limits */
    unsigned unasked;         /* writes that asked nobody for that, or few */
    unsigned fruitless_waits; /* calls that blocked in that time */
    bool ticking;             /* the timer `tick` is set, or fires */
    bool since_tick;          /* a wait was noted since the last tick */
    bool soon;                /* one of those is only the ticks' to look at: the next comes soon */
    bool slow;                /* the timer is set for a long tick (tick.c) */
    unsigned vain_ticks;      /* ticks in a row that found no call left alone, up to a limit */
    struct call *slept_on[MAX_DEFERRED]; /* file_sleep.c; NULL: a thread has taken it */
    unsigned slept_on_count;
    unsigned asked; /* the descriptor plus one of the call that the sleeper asks; 0: none */
    enum sleeper_told sleeper_told;
    unsigned vain_sleeps; /* vain sleeps in a row */
    unsigned sleeps_to_skip;
    unsigned worth_waiting; /* how many calls may be deferred though writes serve none of them */
    struct plat_timer tick;
    uint32_t ticks; /* how many ticks there were */
};

/* A descriptor's number for which workers wait again and again (calls/kept_number.c). */
struct kept_number {
    int number;         /* the number plus one; 0: none */
    bool placed;        /* it has an entry in the epoll set */
    unsigned waits;     /* waits for it without that entry */
    uint64_t file[2];   /* device and inode of its file when it got the entry */
    struct call *front; /* the call that waits there */
};

/* Calls whose files the poller watches (calls/watched.c, calls/watch_queue.c). */
struct readiness {
    PLAT_LOCK(SERVING) serving; /* held by the thread that serves events of the poller's set */
    PLAT_LOCK(WATCHED) lock;
    bool unwatched;              /* no thread waits for the set's events */
    uint64_t serve_at;           /* a worker does not serve before this time */
    uint64_t serve_pause;        /* the time from the last serving to serve_at */
    _Atomic uint32_t resting;    /* futex: the poller rests and does not look at the set */
    _Atomic bool awake;          /* the scheduler that fell asleep or woke up last is awake */
    _Atomic bool slept_in;       /* a scheduler sleeps in the set, is about to, or has just woken
                                  * up */
    int kick_fd;                 /* a file in the set: wakes a scheduler that sleeps there; -1:
                                  * none */
    _Atomic bool slept_in_files; /* that scheduler sleeps on files (file_sleep.c), */
    _Atomic bool set_polled;     /* and the set is one of them */
    bool files_refused;          /* the kernel, or a sandbox, refuses to sleep on files */
    int bell_fd;                 /* a file outside the set: wakes that scheduler; -1: none */
    uint16_t turns;              /* number of the last call that came */
    _Atomic uint32_t slept;      /* how often a scheduler fell asleep */
    CHAIN_OF(struct call) watched;
    struct call *fronts[WATCHED_FILES]; /* the calls in front of their queues, by file */
    /* How many calls are watched for each descriptor's number, to read and to write. */
    uint16_t numbers[2][WATCHED_NUMBERS];
    struct kept_number kept[KEPT_NUMBERS];
};

/* The ring by which files are tried (calls/attempt_ring.c). */
struct attempts {
    PLAT_LOCK(ATTEMPT) lock;
    struct attempt_ring *ring;
    bool refused; /* there can be none */
};

/* Opens whose paths are not checked (traps/open_call.c). */
struct opens {
    _Atomic bool wanted, runs; /* wanted: there was an open since the timer fired last; runs: the
                                * timer is set */
    _Atomic bool refused;      /* carriers cannot be told, or opens are lent calls (lent_call.h) */
    _Atomic unsigned looks;    /* how many opens are to be checked first */
    struct plat_timer timer;
};

/* Carriers, and schedulers that want one (switch/lane.c, switch/carrier.c, traps/lanes.c). */
struct hosting {
    PLAT_LOCK(LANE) lock;
    bool hosts;           /* the lane has carriers, and their calls are detected */
    struct carrier *idle; /* last in, first out: caches are warm */
    unsigned idle_count;
    unsigned coming; /* carriers that were made, but are not idle or busy yet */
    struct plat_context *starving, **starving_end; /* schedulers that wait for a carrier */
    unsigned starving_count;
    unsigned schedulers; /* schedulers that have this lane */
    unsigned carriers;   /* how many there are */
    bool exhausted;      /* the last carrier that was wanted could not be made */
    pthread_t spawner;
    _Atomic uint32_t spawner_word; /* futex: 1 when carriers run low */
    _Atomic int ready;             /* spawner: 0 starting, 1 up, -errno */
    _Atomic int stocked; /* spawner: 0 not yet, 1 there are carriers, -errno: there is none */
    struct opens opens;
};

/* For the thread that looks for page faults of the lane's carriers (traps/idle_watch.c). */
struct idle_watch {
    _Atomic bool watched_over;       /* there is such a thread */
    _Atomic pid_t shown[LANE_SHOWS]; /* by scheduler: the carrier, while it does not sleep */
    struct fault_files *files;       /* the thread's own */
    _Atomic uint32_t waits;          /* futex: 1 while no carrier is shown */
};

#endif
