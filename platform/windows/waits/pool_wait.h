/* SPDX-License-Identifier: MIT
 *
 * pool_wait.h - waits that the system's thread pool makes: its callback completes the worker.
 *
 * The pool waits on a handle of our own, with the worker's time-out. So the program may close its
 * handle meanwhile, as while a thread waits. Only its callback completes an armed wait, for only
 * the callback tells whether a signal was consumed. A cancelled wait is completed by the service
 * thread when the pool has let go of it, or by a callback that came before.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_POOL_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_POOL_WAIT_H

#include "platform/windows/engine.h"

/* Once. The pool begins with a wait for `first`, and then sets the event: its threads are there.
 * Until then workers do not use it: a new thread of the pool must pass the loader, which may wait
 * for the very worker that needs the thread. Both handles belong to the pool's wait from now on. */
void pool_wait_start(HANDLE first, HANDLE event);
bool pool_wait_has_begun(void);

/* On the service thread. The caller has made the worker TAKEN. */
void pool_wait_arm(struct plat_context *worker);
void pool_wait_disarm_cancelled(void);

/* Under wait_lock: the worker is ARMED, and is to be completed. True: the caller calls
 * agenda_wake. */
bool pool_wait_cancel(struct plat_context *worker);
/* Under wait_lock, on the service thread: frees the retired records that are due. Returns when it
 * is to be called again, or `until` if that is before. */
uint64_t pool_wait_retire(uint64_t until);

#endif
