/* SPDX-License-Identifier: MIT
 *
 * direct_waiters.h - the workers that wait for private events and semaphores in user mode.
 *
 * A worker that waits for a private object (handle_info.h) is registered at its handle's record,
 * under the record's lock. The thread that signals the object takes it from there
 * (direct_signal.h).
 *
 * Nobody is missed. A signal that goes to the system is counted in the record's word afterwards,
 * and then direct waiters are looked for; a worker that registers is counted as a waiter, and then
 * looks whether the word is still what it was when the object was looked at. Both by locked
 * instructions: one of them sees the other.
 *
 * Direct waiters that a tick or two have passed over are the pool's from then on, like all waiters
 * for objects that are not private (direct_ages.h).
 *
 * Locks, in this order: wait_lock, a record's, the roll's. A signal takes the record's alone. It
 * leaves a deadline where it is, and takes wait_lock for that when it has let the record go; until
 * then the worker is not completed, so a deadline that comes meanwhile finds it TAKEN.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_WAITERS_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_WAITERS_H

#include "platform/windows/waits/handle_info.h"

#include <winternl.h>

/* ---- With the record's lock held ------------------------------------------------------------- */

/* Registers the worker. False: the object may have been signalled since it was looked at,
 * or is private no more. */
bool direct_add(struct plat_context *worker);
void direct_remove(struct plat_context *worker);

/* At most so many, oldest first: a chain, each taken. */
struct plat_context *direct_take_some(struct handle_info *info, uint32_t count);
/* The system has got a signal: the waiters try, each for itself, as long as there is something to
 * be had. A chain of those that got it. */
struct plat_context *direct_settle(struct handle_info *info, HANDLE handle);

/* ---- With wait_lock held as well ------------------------------------------------------------- */

/* To the pool, with a handle that lasts. True: wake. */
bool direct_to_pool(struct plat_context *worker);

/* ---- Without the record's lock --------------------------------------------------------------- */

/* Waits with no time to wait, by the system. */
NTSTATUS direct_try(HANDLE handle);
/* Completes a chain of waits that were taken. A worker that takes waits must not be stopped before
 * it has completed them: it calls user_wait_hold before both, and user_wait_release after. */
void direct_complete(struct plat_context *chain);
/* With wait_lock: takes the worker if it waits directly. */
bool direct_withdraw(struct plat_context *worker, NTSTATUS (*status)(struct plat_context *worker));
/* For withdrawing: what its wait has come to now that time is over. */
NTSTATUS direct_last_look(struct plat_context *worker);
/* To the pool, if it registered in that tick or before and waits directly. On the service
 * thread. */
void direct_give_up(struct plat_context *worker, uint32_t tick);
/* One that was given to the pool waits no more. */
static inline void direct_over(struct plat_context *worker)
{
    if (worker->wait.kind == HANDLE_MANUAL)
        atomic_fetch_sub(&worker->wait.info->armed, 1);
}

#endif
