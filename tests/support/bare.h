/* SPDX-License-Identifier: MIT
 *
 * bare.h - single workers and hand-written scheduler procs, for tests that look at one call
 * closely.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_BARE_H
#define UMSSHIM_TESTS_SUPPORT_BARE_H

#include <windows.h>

#include "ums_kit.h"

#include <stdbool.h>

struct bare {
    PUMS_COMPLETION_LIST list; /* where the worker arrives */
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD id;
};

/* Makes a context and a thread on it. False after a recorded failure. */
bool bare_create(struct bare *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                 void *arg, DWORD flags);
/* Deletes the context and closes the handle of a worker that has ended. */
void bare_delete(struct bare *worker);

/* DequeueUmsCompletionListItems; a time-out is a success with NULL under UMSSHIM_STRICT=1 as well. */
BOOL bare_dequeue(PUMS_COMPLETION_LIST list, DWORD milliseconds, PUMS_CONTEXT *chain);
/* Whether a worker has arrived on the list, where it stays. It takes the signal of the list's
 * event. So call it only if that signal cannot be of an arrival that has left the list. */
bool bare_has_arrived(PUMS_COMPLETION_LIST list);

/* Takes exactly one arrival off the list, waiting up to 5 s; NULL after a recorded failure. */
PUMS_CONTEXT bare_arrival(PUMS_COMPLETION_LIST list);
/* Collects this many arrivals; false after a recorded failure (too few, too many, or twice one). */
bool bare_arrivals(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *contexts, int count);
bool bare_create_arrived(struct bare *worker, PUMS_COMPLETION_LIST list,
                         LPTHREAD_START_ROUTINE routine, void *arg);

/* ums_execute. Records a failure if the call returns with success. */
DWORD bare_execute(PUMS_CONTEXT context);

/* A scheduler on the calling thread: executes the held contexts and all workers that arrive on the
 * list, until this many workers have ended. A worker that yields is executed again at once. False
 * after a recorded failure; gives up after 10 s. */
bool bare_drive(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *held, int held_count, int ends);

bool is_terminated(PUMS_CONTEXT context);
bool is_suspended(PUMS_CONTEXT context);

/* A worker routine, beside routine_return. */
DWORD WINAPI routine_yield_once(LPVOID param); /* yields with this parameter, then ends with 0 */

#endif
