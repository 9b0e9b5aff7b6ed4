/* SPDX-License-Identifier: MIT
 *
 * spin.h - trying for a lock whose owner is at work on another processor just now.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SPIN_H
#define UMSSHIM_WINAPI_LINUX_SPIN_H

#include "winapi/linux/surface.h"

/* Calls `take` now and then until it says true, for as long as the owner of the lock is a worker
 * that runs on another processor, and for some microseconds at most. `owner` says whose the lock
 * is; 0: nobody's, or not known this moment; -1: several threads'. False: not taken, and waiting is
 * better. */
bool win__spin(void *lock, DWORD (*owner)(void *lock), bool (*take)(void *lock));

#endif
