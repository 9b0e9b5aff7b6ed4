/* SPDX-License-Identifier: MIT
 *
 * fleet.h - a scheduler for tests: some workers, run to their end by one or more schedulers.
 *
 * The scheduler does what the documentation recommends: take everything off the completion list
 * with time-out 0, keep the workers in a ready queue of its own, execute the next one, and wait for
 * arrivals when there is none. It counts its activations and arrivals, and fleet_run checks the
 * rules for any program: every worker ends, every Blocked is followed by exactly one arrival,
 * nothing runs twice, every activation starts on the same stack position.
 *
 * Without FLEET_WAITS every wait has a limit: fleet_run gives up after it, with a report.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_FLEET_H
#define UMSSHIM_TESTS_SUPPORT_FLEET_H

#include <windows.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FLEET_OWN_LISTS = 1,    /* one completion list for each scheduler; else one for all */
    FLEET_SHARED_READY = 2, /* one ready queue for all: workers migrate; else one each */
    FLEET_RANDOM = 4,       /* the next worker is drawn at random; else first in, first out */
    FLEET_NO_GATHER = 8,    /* start before all workers have arrived */
    /* For one scheduler without holds: it waits for arrivals without a limit, so it sleeps as a
     * program's scheduler does. The test's own limit ends a hang. */
    FLEET_WAITS = 16
};

struct fleet;
struct scheduler;
struct worker;
typedef void (*worker_body)(struct worker *self);

/* Plain fields, written before the worker runs or by the worker itself, unless told otherwise. */
struct worker {
    struct fleet *fleet;
    int index; /* in order of creation; the first start is in this order with one scheduler */
    worker_body body;
    void *arg;
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD id;
    DWORD exit_code; /* what the thread routine returns */
    long arrivals;   /* this and the next: counts, which schedulers change atomically */
    long blocked;
    long yields;
    long executes;
    struct worker *next_in_chain; /* the scheduler that drained it */
    bool moves;                   /* set by the worker: its last scheduler is to pass it over */
    struct scheduler *ran_on;     /* its last scheduler */
};

struct fleet_totals {
    long added, ended, startups, arrivals, blocked, traps, yields, executes, retries;
};

struct activation {
    UMS_SCHEDULER_REASON reason;
    ULONG_PTR payload;
    PVOID param;
    struct worker *who; /* the worker that this scheduler had executed last */
    DWORD thread_id;
};

/* The entry point calls the hook first in every activation. The hook uses no heap and no stdio. */
typedef void (*fleet_hook)(const struct activation *activation, void *arg);

/* NULL after a recorded failure. `capacity`: the most workers. */
struct fleet *fleet_create(int schedulers, int capacity, unsigned flags);

/* Create a worker; before or during the run, from any thread. NULL after a recorded failure.
 * Later additions need fleet_hold, or the run may be over. */
struct worker *fleet_add(struct fleet *fleet, worker_body body, void *arg);
struct worker *fleet_add_suspended(struct fleet *fleet, worker_body body, void *arg);
/* The same for a creation that may fail: NULL with the last error, without a recorded failure, and
 * nothing is left of the worker. No other thread may add workers meanwhile. */
struct worker *fleet_try_add(struct fleet *fleet, worker_body body, void *arg);

/* The schedulers stay as long as there are holds or workers. */
void fleet_hold(struct fleet *fleet);
void fleet_release(struct fleet *fleet);

void fleet_set_hook(struct fleet *fleet, fleet_hook hook, void *arg);
void fleet_set_limit(struct fleet *fleet, DWORD milliseconds); /* default 20 s */
void fleet_set_stack(struct fleet *fleet, SIZE_T bytes);       /* default 256 KiB */
void fleet_set_seed(struct fleet *fleet, unsigned seed);

/* Scheduler 0 is the calling thread, the others are created. True if every worker has ended.
 * Failures are recorded in any case. */
bool fleet_run(struct fleet *fleet);

/* `count` workers with one body and one argument. */
struct crew {
    int count;
    worker_body body;
    void *arg;
};

/* A fleet for some crews, from fleet_create to fleet_destroy, with room for CREW_MORE workers that
 * these create. True if every worker has ended; else the fleet stays, for its workers may still
 * run. */
enum { CREW_MORE = 16 };
bool fleet_run_crews(int schedulers, unsigned flags, const struct crew *crews, int count);

/* FLEET_RUN(2, FLEET_SHARED_READY, {6, wait_in_turn, event}, {1, set_once, event}) */
#define FLEET_RUN(schedulers, flags, ...)                                                          \
    fleet_run_crews(schedulers, flags, (const struct crew[]){__VA_ARGS__},                         \
                    (int)(sizeof((const struct crew[]){__VA_ARGS__}) / sizeof(struct crew)))

/* Runs a fleet whose workers have been added beside plain threads with this routine, and destroys it. */
void fleet_run_beside(struct fleet *fleet, int threads, LPTHREAD_START_ROUTINE routine, void *arg);

struct worker *fleet_worker(struct fleet *fleet, int index);
struct fleet_totals fleet_counts(const struct fleet *fleet);

/* The first activations of one scheduler, at most 1024 of them. */
const struct activation *fleet_log(const struct fleet *fleet, int scheduler, int *count);

/* Deletes contexts, handles and lists, and checks that this succeeds. */
void fleet_destroy(struct fleet *fleet);

/* The worker that runs the calling thread's code; NULL elsewhere. */
struct worker *worker_self(void);

/* Yields until the flag is set, for 10 s at most. False after a recorded failure. */
bool yield_until(const int *flag);
/* The same for plain threads, which sleep meanwhile. */
bool wait_until(const int *flag, DWORD milliseconds);

/* A flag set by one worker and read by another. */
static inline void flag_set(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static inline int flag_get(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline int flag_add(int *flag, int value)
{
    return __atomic_add_fetch(flag, value, __ATOMIC_ACQ_REL);
}

#ifdef __cplusplus
}
#endif
#endif
