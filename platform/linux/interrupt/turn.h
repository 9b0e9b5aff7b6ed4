/* SPDX-License-Identifier: MIT
 *
 * turn.h - synchronous calls that are made one at a time, though each may wait for long: reads of
 * messages from one pipe. A thread that waits for its turn is in its synchronous call already
 * (sync_call.h), so that CancelSynchronousIo ends the wait. A thread that is ended in its turn
 * loses it.
 *
 * `owner` decides who has the turn. A thread takes it by a compare-exchange from none, and gives it
 * up by a store of none. `below` and the thread's chain of turns are that thread's own: a handler
 * of the program's on top of a turn may take another one. A thread that is ended in its turn leaves
 * the chain at its end, so the turn's memory lasts until then: the thread has a reference to its
 * object (sync_call_begin).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_TURN_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct plat_thread;

struct turn {
    _Atomic uintptr_t owner;  /* the thread; 0: none. Waiters wait at this address */
    _Atomic uint32_t awaited; /* threads that may wait, and those that were ended meanwhile */
    struct turn *below;
};

/* Between sync_call_begin and sync_call_end. False: the call is asked to end, or there is no memory
 * for the calling thread. */
bool turn_take(struct turn *turn);
void turn_leave(struct turn *turn);
/* The thread ends: it gives up the turns that it has. On that thread. */
void turns_leave(struct plat_thread *thread);
void turn_forget(struct turn *turn); /* in a child after fork: a turn of another thread's is free */

#endif
