/* SPDX-License-Identifier: MIT
 *
 * rig.h - workers, and a scheduler that writes down what it sees.
 *
 * Everything is bounded: what does not come within its limit is a failed check, and the clause goes
 * on to clean up or returns.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_RIG_H
#define UMSSHIM_TESTS_CONFORMANCE_RIG_H

#include "kit.h"
#include "ums_kit.h"

#ifndef ERROR_OBJECT_NAME_EXISTS /* MinGW-w64 10 has no name for it */
#define ERROR_OBJECT_NAME_EXISTS 698L
#endif

enum { TICK_MS = 16, MAX_ENTRIES = 256, MAX_READY = 64 };

struct worker {
    PUMS_COMPLETION_LIST list; /* named at its creation */
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD id;
};

PUMS_COMPLETION_LIST make_list(void);
void drop_list(PUMS_COMPLETION_LIST list);
PUMS_CONTEXT make_context(void);

bool make_worker(struct worker *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                 void *argument, DWORD flags);
/* The same, and takes it off its list. */
bool make_arrived(struct worker *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                  void *argument);
/* Waits for the thread's end, deletes the context, closes the handle. */
void drop_worker(struct worker *worker);

/* DequeueUmsCompletionListItems, which must succeed, or time out by its page (expected_rule): 0 and 1460. */
bool dequeued(PUMS_COMPLETION_LIST list, DWORD milliseconds, PUMS_CONTEXT *chain);
/* Takes exactly so many off the list. */
bool arrivals(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *contexts, int count);
PUMS_CONTEXT arrival(PUMS_COMPLETION_LIST list); /* NULL after a failed check */
/* Whether the list is empty now, and stays so for that long. Takes off what is there. */
bool is_empty(PUMS_COMPLETION_LIST list, DWORD milliseconds);

bool is_terminated(PUMS_CONTEXT context);
bool is_suspended(PUMS_CONTEXT context);
bool becomes_suspended(PUMS_CONTEXT context, bool wanted); /* QI-11: within a second */
PVOID teb_of(PUMS_CONTEXT context);
ULONG flags_of(HANDLE thread);

/* ums_execute, which is not to come back with success. */
DWORD execute(PUMS_CONTEXT context);

/* ---- a scheduler ---- */

struct entry {
    UMS_SCHEDULER_REASON reason;
    ULONG_PTR payload;
    PVOID param;
    PUMS_CONTEXT executed; /* whom it had executed last */
    PUMS_CONTEXT self;
    DWORD thread_id;
    PVOID frame;
    unsigned mxcsr;
    int alive; /* activations under way, this one not counted */
};

/* Executes what is ready, the last one first, and else waits for arrivals, until enough workers
 * have ended. */
struct stage {
    PUMS_COMPLETION_LIST list;  /* the scheduler's */
    PUMS_COMPLETION_LIST other; /* one more that it looks at, or NULL */
    int ends;                   /* how many are to end yet */
    /* Called first in each activation: may change all of this. */
    void (*hook)(struct stage *stage, const struct entry *entry);
    void *argument;
    bool leave;   /* return from the entry point now */
    bool blind;   /* looks at no list: executes the ready ones, and returns when there is none */
    bool in_turn; /* the one that has waited longest first */
    PUMS_CONTEXT ready[MAX_READY];
    int ready_count;

    /* What it saw. */
    int entries, startups, blocked, traps, yields, arrived;
    struct entry log[MAX_ENTRIES];

    PUMS_CONTEXT executed;
    int alive;
    ULONGLONG deadline;
};

/* On the calling thread. False after a failed check: not all ended in time, or one would not run.
 */
bool stage_run(struct stage *stage);
void stage_ready(struct stage *stage, PUMS_CONTEXT context);
/* Takes what is on the list now, or comes to it in so many ms. */
void stage_take(struct stage *stage, PUMS_COMPLETION_LIST list, DWORD milliseconds);
/* Runs one worker of this routine to its end, in a stage of its own list with this hook. */
bool stage_solo(struct stage *stage, struct worker *worker, LPTHREAD_START_ROUTINE routine,
                void *argument);
/* Runs held and arriving workers to their ends. */
bool drive(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *held, int count, int ends);

/* ---- where workers arrive that were executed before ---- */

enum rule { NO_RULE, LAST_SCHEDULER, CREATION };

/* What holds here, found out at the first call. */
enum rule arrival_rule(void);
/* What has to hold here, NO_RULE if either will do. */
enum rule expected_rule(void);
/* The one of the two lists on which it arrives here. */
PUMS_COMPLETION_LIST by_rule(PUMS_COMPLETION_LIST last, PUMS_COMPLETION_LIST creation);
/* The worker comes to that list, and to no other. Takes it off. */
bool arrives(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last, PUMS_COMPLETION_LIST creation);

/* So many on the list for certain, in this order: ended ones. A new worker may arrive late, but the
 * handle of an ended one is signalled after it was queued (LF-4). */
bool make_ended(PUMS_COMPLETION_LIST list, struct worker *workers, int count);
/* Drops them, and their list. */
void drop_workers(PUMS_COMPLETION_LIST list, struct worker *workers, int count);

/* ---- routines ---- */

DWORD WINAPI routine_yield(LPVOID param); /* once, with this parameter; then returns 0 */
DWORD WINAPI routine_wait(LPVOID event);  /* for an event; then returns 0 */

HANDLE make_event(bool manual);
/* Polls without sleeping on anything under test. */
bool comes_true(atomic_int *flag, int value);

#endif
