/* SPDX-License-Identifier: MIT
 *
 * direct_waiters.h - the workers that wait for private events and semaphores in user mode.
 *
 * A worker that waits for a private object (handle_info.h) is registered at its handle's record,
 * under the record's lock. The thread that signals the object takes it from there
 * (direct_signal.h).
 *
 * No waiter is missed. A thread that gives a signal to the system counts it in the record's word,
 * and then looks for direct waiters. A worker that registers counts itself as a waiter, and then
 * compares the word with its value from before it looked at the object. Both count by locked
 * instructions, so one of them sees the other.
 *
 * Direct waiters that have waited for a tick or two go to the pool, to which all waiters for other
 * objects go at once (direct_ages.h).
 *
 * Locks, in this order: wait_lock, a record's, the roll's. A signal takes the record's lock alone.
 * When it has released it, it takes wait_lock to remove the worker's deadline, and then completes
 * the worker. If the deadline comes before that it finds the worker TAKEN.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_WAITERS_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_WAITERS_H

#include "platform/windows/waits/handle_info.h"

#include <winternl.h>

/* ---- With the record's lock held ------------------------------------------------------------- */

/* Registers the worker. False: the object may have been signalled since the worker looked at it, or
 * is private no more. */
bool direct_add(struct plat_context *worker);
void direct_remove(struct plat_context *worker);

/* Takes at most so many waiters, oldest first, as a chain. */
struct plat_context *direct_take_some(struct handle_info *info, uint32_t count);
/* The system has got a signal. Tries to take one for each waiter, until a try fails. Returns a
 * chain of the waiters that got one. */
struct plat_context *direct_settle(struct handle_info *info, HANDLE handle);

/* ---- With wait_lock held as well ------------------------------------------------------------- */

/* Gives the worker to the pool, with a handle that lasts. True: the caller calls agenda_wake. */
bool direct_to_pool(struct plat_context *worker);

/* ---- Without the record's lock --------------------------------------------------------------- */

/* Has the system wait with no time to wait. */
NTSTATUS direct_try(HANDLE handle);
/* Completes a chain of waits that were taken. A worker that takes waits must not be stopped before
 * it has completed them: it calls user_wait_hold before both, and user_wait_release after. */
void direct_complete(struct plat_context *chain);
/* With wait_lock: takes the worker if it waits directly. */
bool direct_withdraw(struct plat_context *worker, NTSTATUS (*status)(struct plat_context *worker));
/* For direct_withdraw: the result of the wait when its time is over. */
NTSTATUS direct_last_look(struct plat_context *worker);
/* Gives the worker to the pool, if it waits directly since that tick or before. On the service
 * thread. */
void direct_give_up(struct plat_context *worker, uint32_t tick);
/* A worker that was given to the pool waits no more. */
static inline void direct_over(struct plat_context *worker)
{
    if (worker->wait.kind == HANDLE_MANUAL)
        atomic_fetch_sub(&worker->wait.info->armed, 1);
}

#endif
