/* SPDX-License-Identifier: MIT
 *
 * tour.h - what the parts of the tour share: the workers, the journal, the time table.
 *
 * Writers: a worker writes its own struct while it runs; the scheduler writes the journal
 * and the workers' scheduling state. Workers and scheduler take turns on one thread, so neither
 * needs a lock. Everything is read after the scheduler has left.
 */
#ifndef TOUR_H
#define TOUR_H

#include <windows.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_WORKERS = 8,
    MAX_EVENTS = 16384,

    MESSAGES = 3, /* that the reader waits for on its socket */
    NAPS = 3,     /* of the sleeper */
    ROUNDS = 2,   /* of holder and contender around the mutex */

    MESSAGE_MS = 15, /* between two messages */
    NAP_MS = 10,
    HOLD_MS = 20,   /* until the holder's pipe is written */
    SPIN_US = 1000, /* what a spinner computes between two yields */

    LIMIT_MS = 20000 /* for the whole tour */
};

struct worker {
    const char *name;
    const char *does;
    DWORD (*body)(struct worker *self); /* the worker's exit code */
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD exit_code;
    int index;
    bool computes; /* and yields; it makes no system call */
    bool new_one;  /* has not arrived for the first time */
    unsigned long yields_made;
    unsigned long long_calls; /* system calls that took a millisecond or more */
    uint64_t worked;          /* spinners: rounds of computing */
};

enum event_kind {
    EVENT_ENTER,     /* the entry point was called: reason, payload, param; worker: who had run */
    EVENT_NEW,       /* on the completion list: a new worker ... */
    EVENT_UNBLOCKED, /* ... one whose system call is complete ... */
    EVENT_ENDED,     /* ... one that has terminated */
    EVENT_WAIT,      /* nobody is ready: the scheduler waits on the list */
    EVENT_EXECUTE,
    EVENT_FAILED, /* a call of the scheduler's failed: payload is the last error */
    EVENT_LEAVE   /* the entry point returns */
};

struct event {
    uint64_t at_ns;
    enum event_kind kind;
    int worker; /* -1: none */
    UMS_SCHEDULER_REASON reason;
    ULONG_PTR payload;
    PVOID param;
};

struct journal {
    struct event events[MAX_EVENTS];
    unsigned count;
    unsigned lost;
};

struct tour {
    struct worker workers[MAX_WORKERS];
    int worker_count;
    PUMS_COMPLETION_LIST list;
    struct journal journal;

    /* What the workers meet at. */
    int socket[2]; /* messages: the feeder writes to [1], the reader reads from [0] */
    int pipe[2];   /* the holder, with the mutex, reads from [0] */
    pthread_mutex_t mutex;
    int inside; /* how many are in the mutex's section: more than one is wrong */
    int collisions;
    int rounds_locked;         /* by the holder */
    int rounds_contended;      /* by the contender */
    atomic_int rounds_reading; /* by the holder: tells the pipe's feeder that it is wanted */
    int busy;                  /* workers that are no spinners and have not finished */
    bool data_wrong;
};

extern struct tour tour;

uint64_t now_ns(void);

/* journal.c: no heap, no stdio; an event more than fits is counted as lost. */
void journal_add(enum event_kind kind, int worker, UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                 PVOID param);

/* scheduler.c: a thread routine; the parameter is handed on to the Startup activation. */
DWORD WINAPI scheduler_main(LPVOID param);

/* workers.c: what they meet at, the workers themselves, and two plain threads that feed them. */
bool create_workers(void);
void name_thread(HANDLE thread, const char *name);
bool start_feeders(pthread_t feeders[2]);

/* timeline.c */
void print_timeline(void);
void print_lanes(void);

/* verdict.c: prints the table and the checks; true when everything holds. */
bool print_verdict(void);

#endif
