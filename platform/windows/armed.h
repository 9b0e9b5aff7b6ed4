/* SPDX-License-Identifier: MIT
 *
 * armed.h - waits that the system's thread pool makes: its callback completes the worker.
 *
 * The pool waits on a handle of our own, for the worker's time-out. So the program may close its
 * handle meanwhile, as during a wait of a thread's. An armed wait is completed by its callback,
 * which says whether a signal was consumed, and by nothing else; a cancelled one by the service
 * thread when the pool has let go of it, or by the callback that came before.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_ARMED_H
#define UMSSHIM_PLATFORM_WINDOWS_ARMED_H

#include "platform/windows/engine.h"

/* On the service thread. The worker is TAKEN by the caller. */
void armed_arm(struct plat_context *worker);
void armed_disarm_cancelled(void);

/* Under carry_lock: the worker is ARMED and to be completed. True: kick. */
bool armed_cancel(struct plat_context *worker);
/* Under carry_lock, on the service thread: gives back what is due; when it wants to be called
 * again, or `until` if that is before. */
uint64_t armed_retire(uint64_t until);

#endif
