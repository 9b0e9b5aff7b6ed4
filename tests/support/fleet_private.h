/* SPDX-License-Identifier: MIT
 *
 * fleet_private.h - what fleet.c (creation, checks), fleet_proc.c (the scheduler) and kinds.c share.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_FLEET_PRIVATE_H
#define UMSSHIM_TESTS_SUPPORT_FLEET_PRIVATE_H

#include "fleet.h"
#include "gtest_c.h"

enum {
    FLEET_MAX_SCHEDULERS = 8,
    FLEET_LOG = 1024,
    FLEET_RETRIES = 10000, /* CN-2: a scheduler may have to retry, but not for ever */
    FLEET_IDLE_MS = 5
};

/* Only schedulers take its lock, for a few instructions. Workers never wait for it. */
struct ready_queue {
    char lock;
    unsigned head; /* free-running; the queue holds [head, tail) */
    unsigned tail;
    unsigned mask;
    struct worker **slots;
};

struct scheduler {
    struct fleet *fleet;
    int index;
    PUMS_COMPLETION_LIST list;
    struct ready_queue *ready;
    struct ready_queue own_ready;
    struct worker *current; /* executed last */
    HANDLE thread;          /* NULL for scheduler 0 */
    unsigned random;
    long startups;
    volatile char *frame; /* of the second activation; the first may differ */
    long moved_frames;
    int left;
    int entered_ok;
    int log_count;
    struct activation log[FLEET_LOG];
};

struct fleet {
    unsigned flags;
    int scheduler_count;
    int capacity;
    int added;   /* atomic */
    long live;   /* atomic: workers not yet seen terminated, plus holds */
    int expired; /* atomic */
    int dropped; /* atomic: workers lost to failed Execute calls */
    DWORD limit;
    ULONGLONG deadline;
    SIZE_T stack;
    fleet_hook hook;
    void *hook_arg;
    struct ready_queue shared_ready;
    struct fleet_totals totals; /* atomic fields */
    struct worker *workers;
    struct scheduler schedulers[FLEET_MAX_SCHEDULERS];
};

static inline void count(long *counter, long by)
{
    __atomic_add_fetch(counter, by, __ATOMIC_ACQ_REL);
}

static inline long counted(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

extern __thread struct scheduler *fleet_scheduler; /* set on scheduler threads only */
VOID NTAPI fleet_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param);

#endif
