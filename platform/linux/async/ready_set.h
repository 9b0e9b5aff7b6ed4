/* SPDX-License-Identifier: MIT
 *
 * ready_set.h - calls that wait until their file is readable. The threads that wait for their ends
 * make them themselves (ready_set.c).
 *
 * A call *stands* while it waits in the set. From its first call on a file stays in the set until
 * its descriptor is closed, or has another file. The owner of a call:
 *
 *     ready_stand           the caller, which holds a lock that is the watch's
 *     READY_STANDS          nobody; the next of these two takes it
 *     ready_take_back       the caller again, if it returns true
 *     an event of the file  the thread that has fetched it: it calls call->ready, once
 *
 * A set knows a file by its descriptor and its open file. If a child of fork has the file open,
 * too, only ready_end takes it out, and only while the descriptor still has that file.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_READY_SET_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_READY_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct async_call;

/* The watch of a file, zero at first. */
struct ready_watch {
    _Atomic uintptr_t state; /* the call that stands; READY_NONE; READY_EDGE */
    bool in_set;             /* under the caller's lock */
};
/* NONE: no call waits in the set. EDGE: none waits there, and an event has come since the last one
 * did. */
enum { READY_NONE, READY_EDGE };

/* Brings up the set. If it is not up yet this waits; the caller holds no lock. False: it cannot be
 * made now. */
bool ready_start(void);

enum ready_answer { READY_STANDS, READY_AGAIN, READY_CANNOT };
/* The call has just been tried in vain. READY_AGAIN: an event has come, so the caller tries it once
 * more. READY_CANNOT: the set does not take such a file. */
enum ready_answer ready_stand(struct ready_watch *watch, struct async_call *call);
bool ready_take_back(struct ready_watch *watch, struct async_call *call);
/* The descriptor is about to lose its file; no call stands. The caller holds the lock of the watch,
 * or no other thread has the watch. */
void ready_end(struct ready_watch *watch, int fd);

/* Makes the calls whose files are ready. A thread of the program calls it that finds its port
 * empty, and holds no lock. `sleeps`: if there are none the caller sleeps next, and another thread
 * looks from here on. False: there were none. */
bool ready_look(bool sleeps);

void ready_forget(void); /* in a child after fork: all watches are to be zero */

#endif
