/* SPDX-License-Identifier: MIT
 *
 * shared_bell.h - the thread at which the user's other processes ring (dispatch/peers.h). It looks
 * at the objects that this process shares with them, and lets this process's waiters go. The first
 * such object makes it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_SHARED_BELL_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_SHARED_BELL_H

/* 0; SHARED_NOT: objects cannot be shared here, and a line says why; or an error of
 * shared_name_enter. The caller holds no lock. Uses the heap. */
int shared_bell_start(void);
/* The same, for a child after fork whose parent had one. */
void shared_bell_join(void);
void shared_bell_forget(void); /* in a child after fork: the thread is not there */

#endif
