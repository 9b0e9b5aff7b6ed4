/* SPDX-License-Identifier: MIT
 *
 * lock_ranks.h - the engine's locks, and their order: outermost first.
 *
 * A thread that holds a lock takes only locks further down. A rank is one lock, or one lock in each
 * record of a kind, of which a thread holds one at a time. Only with the all-lock it may hold
 * several objects' (dispatch/waiters.h). A thread may try for any lock, since that does not wait. A
 * checked build checks each acquisition against this order (lock_order.c). The first that breaks it
 * ends the process with both names.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LOCK_RANKS_H
#define UMSSHIM_PLATFORM_LINUX_OS_LOCK_RANKS_H

#include <stdatomic.h>
#include <stdint.h>

/* os/lock.c says how a thread takes it and sleeps. */
struct plat_lock {
    union {
        _Atomic uint32_t word; /* futex: both halves */
        struct {
            _Atomic uint16_t held;     /* 0 or 1 */
            _Atomic uint16_t sleepers; /* counts threads that sleep, until they have the lock */
        };
    };
};
enum { LOCK_HELD = 1, LOCK_SLEEPER = 1 << 16 };

/* clang-format off */
#define LOCK_RANKS(RANK)                                                                           \
    RANK(START)        /* the engine is started: start.c */                                        \
    RANK(SYSTEM)       /* system() counts its callers: identity_front.c */                         \
    RANK(LANES)        /* lanes are made; held while their threads start */                        \
    RANK(CREDENTIALS)  /* one thread at a time changes ids for all */                              \
    RANK(BIRTHS)       /* no thread is made meanwhile */                                           \
    RANK(BINDING)      /* a thread object and its context */                                       \
    RANK(NUMBERED)     /* winapi: timers by number, which are set under it */                     \
    RANK(POOL_WAIT)    /* a pool's wait is set: one at a time */                                   \
    RANK(GROUPS)       /* clean-up groups of pools */                                              \
    RANK(POOLS)        /* the list of pools */                                                     \
    RANK(POOL)         /* a pool */                                                                \
    RANK(REGIONS)      /* winapi: reserved memory and views */                                     \
    RANK(MOVABLE)      /* winapi: movable memory */                                                \
    RANK(HEAPS)        /* winapi: the list of heaps */                                             \
    RANK(HEAP)         /* winapi: a heap */                                                        \
    RANK(SLOTS)        /* winapi: TLS and FLS indexes */                                           \
    RANK(CONTROL)      /* winapi: handlers of Ctrl-C */                                            \
    RANK(TITLE)        /* winapi: the console's title */                                           \
    RANK(ATOMS)        /* winapi: a table of atoms */                                              \
    RANK(CHILDREN)     /* winapi: processes that were made */                                      \
    RANK(JOB)          /* winapi: a job's limits and counts */                                     \
    RANK(KEEPER)       /* what the keeper of jobs was told */                                      \
    RANK(PIPES)        /* winapi: named pipes of this process */                                   \
    RANK(SHARED_NAMES) /* names that processes share */                                            \
    RANK(DELETIONS)    /* winapi: names that go with their files */                                \
    RANK(SHARES)       /* winapi: share modes of files */                                          \
    RANK(RANGES)       /* winapi: locked ranges of files */                                        \
    RANK(FILE)         /* winapi: the operations of a file */                                      \
    RANK(CHANGES)      /* winapi: what has changed in a folder */                                  \
    RANK(PACKETS)      /* winapi: packets for callbacks of the pool */                             \
    RANK(SERVING)      /* a lane: events of the poller's set; calls complete under it */           \
    RANK(ARMING)       /* a lane: deferred calls are given away; calls complete under it */        \
    RANK(DEFERRAL)     /* a lane: the deferred calls */                                            \
    RANK(WATCHED)      /* a lane: the calls that wait for readiness */                             \
    RANK(ATTEMPT)      /* a lane: the ring by which files are tried */                             \
    RANK(FUTEXES)      /* a bucket of futex waits */                                               \
    RANK(SIGNALS)      /* what is queued for workers, and their masks */                           \
    RANK(NEWBORN)      /* a processor's contexts that signals do not know yet */                   \
    RANK(PROXIES)      /* objects that processes share */                                          \
    RANK(ALL)          /* waits for all of many; several objects' locks may be held with it */     \
    RANK(NAMES)        /* names of objects */                                                      \
    RANK(OBJECT)       /* an object, or a bucket of waits for addresses */                         \
    RANK(THREAD)       /* a thread object's own things: procedures, description */                 \
    RANK(HANDLES)      /* a stripe of the table of handles */                                      \
    RANK(STORE)        /* a stripe of objects' memory */                                           \
    RANK(SEATS)        /* memory of the seats of waits for many */                                 \
    RANK(DEPOT)        /* what stripes have too much of */                                         \
    RANK(ARENA_STRIPE) /* contexts and lists: a stripe of their memory */                          \
    RANK(ARENA)        /* contexts and lists: what grows */                                        \
    RANK(HOMES)        /* a lane: homes that no worker has yet */                                  \
    RANK(LANE)         /* a lane: carriers, and schedulers that want one */                        \
    RANK(BROKER)       /* what a broker is to make */                                              \
    RANK(HELPERS)      /* calls for helpers */                                                     \
    RANK(HANDLERS)     /* signals for the handler thread */                                        \
    RANK(SITES)        /* rewritten call sites; only tried for */                                  \
    RANK(REDIRECT)     /* pages of modules while symbols are redirected */                         \
    RANK(SCHEDULERS)   /* schedulers whose time is counted */                                      \
    RANK(TIMERS)       /* a queue of timers */                                                     \
    RANK(POLICY)       /* which threads are raised above a real-time program */                    \
    RANK(GIVE_WAY)     /* schedulers under a real-time policy, counted */                          \
    RANK(BARE)         /* stacks of bare threads */                                                \
    RANK(FILTER)       /* the filter's program while it is made */                                 \
    RANK(PROGRAM)      /* a place where the program's threads are counted */                       \
    RANK(ACTIONS)      /* the program's actions for signals that faults raise */                   \
    RANK(EXCEPTIONS)   /* winapi: vectored handlers */                                             \
    RANK(TRACE)        /* the rings of a trace */                                                  \
    RANK(COPY)         /* the pipe by which pointers are looked at */                              \
    RANK(LIMIT)        /* the limit of descriptors, while it is raised */
/* clang-format on */

enum lock_rank {
    RANK_NONE,
#define AS_NUMBER(name) RANK_##name,
    LOCK_RANKS(AS_NUMBER)
#undef AS_NUMBER
        RANK_END
};

/* A lock with its rank: PLAT_LOCK(TIMERS) lock; zero bytes are a free lock. */
#define PLAT_LOCK(name) struct lock_of_##name
#define AS_TYPE(name)                                                                              \
    PLAT_LOCK(name)                                                                                \
    {                                                                                              \
        struct plat_lock lock;                                                                     \
        char rank[0][RANK_##name]; /* takes no room; LOCK_RANK takes its size */                   \
    };
LOCK_RANKS(AS_TYPE)
#undef AS_TYPE
#define LOCK_RANK(ranked) ((enum lock_rank)sizeof *(ranked)->rank)

#endif
