/* SPDX-License-Identifier: MIT
 *
 * loose.h - a scheduler on a thread of its own, for workers that are suspended and ended from outside:
 * it keeps workers that cannot be executed and tries again, and counts each one's arrivals and
 * activations.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_LOOSE_H
#define UMSSHIM_TESTS_SUPPORT_LOOSE_H

#include <windows.h>

#include <stdbool.h>

#include "bare.h"

enum { LOOSE_WORKERS = 64 };

/* The counts are written by the scheduler; read them with flag_get. */
struct loose_worker {
    struct bare bare;
    LPTHREAD_START_ROUTINE routine;
    void *arg;
    int arrivals; /* on the list, the last one included */
    int ended;    /* arrivals as terminated */
    int dropped;  /* found terminated while this scheduler held it: no arrival */
    int unborn;   /* set by the test for a worker that is ended before its first start: it never
                   * arrives */
    int executes;
    int refusals; /* executions that failed */
    int blocked;
    int traps; /* Blocked with payload 0 */
    int yields;
};

struct loose {
    PUMS_COMPLETION_LIST list;
    HANDLE thread;
    DWORD id;
    int hold; /* set: no worker is executed */
    int held; /* the scheduler has seen `hold`, and executes no worker until it is 0 */
    int quit;
    int inside; /* the scheduler is in its entry point */
    int activations;
    int count;
    struct loose_worker *current;
    struct loose_worker workers[LOOSE_WORKERS];
    struct loose_worker *ready[LOOSE_WORKERS];
    int ready_count;
};

/* All false after a recorded failure. `list` may be another scheduler's; NULL: one of its own. */
bool loose_start(struct loose *self, PUMS_COMPLETION_LIST list);
/* Only one thread may call this. NULL after a recorded failure. */
struct loose_worker *loose_add(struct loose *self, LPTHREAD_START_ROUTINE routine, void *arg,
                               DWORD flags);
/* Lets the scheduler leave, and frees everything. Checks that every worker has ended, and has
 * arrived as terminated or been dropped once. */
bool loose_finish(struct loose *self);

/* From here on the scheduler executes no worker, until `hold` is 0 again. Its workers have to yield
 * or to wait, so that the scheduler gets to see `hold`. False after a recorded failure. */
bool loose_hold(struct loose *self);

/* Waits up to 8 s for the value to be at least this. */
bool loose_reaches(const int *value, int wanted);
#define ASSERT_REACHES(value, wanted)                                                              \
    REQUIRE(loose_reaches(&(value), (wanted)) ||                                                   \
            FAIL("%s is %d, not %d", #value, flag_get(&(value)), (wanted)))
/* Waits up to 8 s until the worker's IsSuspended is 1. */
bool loose_suspended(const struct loose_worker *worker);
/* Waits up to 8 s for a counter to stand still for some milliseconds. */
bool loose_stands_still(const int *counter);

#endif
