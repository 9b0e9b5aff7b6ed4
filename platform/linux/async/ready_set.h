/* SPDX-License-Identifier: MIT
 *
 * ready_set.h - calls that wait until their file is readable, and that the threads which want their
 * ends make themselves (ready_set.c).
 *
 * Once a call has stood there a file is in the set until its descriptor is closed, or has another
 * file. The owner of a call:
 *
 *     ready_stand           the caller's, under a lock of its own that is the watch's
 *     READY_STANDS          nobody's: the next one of these has it
 *     ready_take_back       the caller's again, if it says so
 *     an event of the file  the thread's that has fetched it: it calls call->ready, once
 *
 * A set knows a file by its descriptor and what is open there. Where a child of fork has it open,
 * too, only ready_end takes it out, and only while the descriptor still means it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_READY_SET_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_READY_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct async_call;

/* A file's, zero at first. */
struct ready_watch {
    _Atomic uintptr_t state; /* the call that stands; READY_NONE; READY_EDGE */
    bool in_set;             /* under the caller's lock */
};
/* No call stands; alike, and an event has come since one did. */
enum { READY_NONE, READY_EDGE };

/* Brings up the set. Unless it is up this waits, with nothing held. False: not to be had now. */
bool ready_start(void);

enum ready_answer { READY_STANDS, READY_AGAIN, READY_CANNOT };
/* The call has just been tried in vain. READY_AGAIN: an event has come, it is to be tried once
 * more. READY_CANNOT: no such file. */
enum ready_answer ready_stand(struct ready_watch *watch, struct async_call *call);
bool ready_take_back(struct ready_watch *watch, struct async_call *call);
/* The descriptor is about to lose its file; no call stands. The caller holds the lock of the watch,
 * or no other thread has the watch. */
void ready_end(struct ready_watch *watch, int fd);

/* By a thread of the program's that finds its port empty, with nothing held: makes the calls whose
 * files are ready. `sleeps`: if there are none it is going to sleep, and another thread looks from
 * here on. False: there were none. */
bool ready_look(bool sleeps);

void ready_forget(void); /* in a child after fork: all watches are to be zero */

#endif
