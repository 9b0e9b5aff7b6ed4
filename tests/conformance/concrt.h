/* SPDX-License-Identifier: MIT
 *
 * concrt.h - a runtime library that uses UMS the way Microsoft's Concurrency Runtime did.
 *
 * Written from the behaviour that the contract describes. Words are that library's: a proxy is a
 * worker with its data, a primary is a scheduler thread. There are three kinds of primaries: the
 * thread engine, where every proxy runs first, up to its main; the virtual processors, which share
 * the work; and private ones, on which a proxy may be made to act like an ordinary thread.
 *
 * Three completion lists, as that library had them. All proxies are created naming list A, and A is
 * dequeued right after each creation, by the creator, and never again. The virtual processors enter
 * with B and poll it; the others enter with C and dequeue it when its event tells. So whatever a proxy
 * waits for, it has to come back on the list of the primary that executed it (BL-4).
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_CONCRT_H
#define UMSSHIM_TESTS_CONFORMANCE_CONCRT_H

#include "rig.h"

enum { PROCESSORS = 2, MAX_PROXIES = 16, PRIMARIES = PROCESSORS + 2 };

struct proxy;

struct primary {
    enum kind { ENGINE, PROCESSOR, PRIVATE } kind;
    PUMS_COMPLETION_LIST list; /* named at the entry: B or C */
    HANDLE completed;          /* its event */
    HANDLE wake, thread;
    atomic_flag lock;
    struct proxy *queue[MAX_PROXIES]; /* its own: what only it may run */
    int queued;
    struct proxy *current;
    atomic_int executes, startups, critical_blocks, traps;
    bool retire; /* return from the entry point */
    bool told;   /* its own context gave it back to itself: UserContext of a primary */
};

struct proxy {
    struct worker worker;
    void (*body)(struct proxy *self);
    struct primary *_Atomic on;    /* where it runs, or ran last */
    struct primary *_Atomic bound; /* the only one that may run it, or NULL */
    struct primary *first;         /* where it ran first */
    atomic_int at_main, critical, refusals;
};

extern struct concrt {
    PUMS_COMPLETION_LIST a, b, c;
    HANDLE astray; /* the event of A: after the creations nothing is to arrive there */
    HANDLE start;  /* manual: primaries park on it in their Startup */
    struct primary primaries[PRIMARIES];
    struct proxy proxies[MAX_PROXIES];
    int count;
    atomic_int ended;
    atomic_flag lock;
    struct proxy *ready[MAX_PROXIES]; /* for any virtual processor */
    int ready_count;
    _Atomic ULONGLONG deadline;
} concrt;

/* What a proxy tells its primary when it yields. */
enum request { AT_MAIN = 1, LET_OTHERS, BE_A_THREAD, RETIRE };

/* Runs so many proxies of these bodies, from the start of the primaries to their return. */
bool concrt_run(void (*const bodies[])(struct proxy *), int count);
void concrt_clean_up(void);
void concrt_yield(enum request request);
/* Puts a proxy where it may be run next, and wakes a scheduler that may do it. */
void concrt_hand_out(struct proxy *proxy);

static inline struct primary *concrt_engine(void)
{
    return &concrt.primaries[0];
}

static inline struct primary *concrt_private(void)
{
    return &concrt.primaries[PRIMARIES - 1];
}

#endif
