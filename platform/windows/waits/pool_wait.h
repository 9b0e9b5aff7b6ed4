/* SPDX-License-Identifier: MIT
 *
 * pool_wait.h - waits that the system's thread pool makes: its callback completes the worker.
 *
 * The pool waits on a handle of our own, for the worker's time-out. So the program may close its
 * handle meanwhile, as during a wait of a thread's. An armed wait is completed by its callback,
 * which says whether a signal was consumed, and by nothing else; a cancelled one by the service
 * thread when the pool has let go of it, or by the callback that came before.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_POOL_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_POOL_WAIT_H

#include "platform/windows/engine.h"

/* Once. The pool begins with a wait for `first`, and then sets the event: its threads are there.
 * Until then a wait is made elsewhere: a new thread must pass the loader, which may be waiting for
 * the very worker that the thread is wanted for. The handles are its own from now on. */
void pool_wait_start(HANDLE first, HANDLE event);
bool pool_wait_has_begun(void);

/* On the service thread. The worker is TAKEN by the caller. */
void pool_wait_arm(struct plat_context *worker);
void pool_wait_disarm_cancelled(void);

/* Under wait_lock: the worker is ARMED and to be completed. True: wake. */
bool pool_wait_cancel(struct plat_context *worker);
/* Under wait_lock, on the service thread: gives back what is due; when it wants to be called
 * again, or `until` if that is before. */
uint64_t pool_wait_retire(uint64_t until);

#endif
