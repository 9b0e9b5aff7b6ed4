/* SPDX-License-Identifier: MIT
 *
 * spin.h - tries to take a lock while its owner runs on another processor.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SPIN_H
#define UMSSHIM_WINAPI_LINUX_SPIN_H

#include "winapi/linux/surface.h"

/* Calls `take` again and again until it returns true, while a worker that runs on another processor
 * owns the lock, and for some microseconds at most. `owner` returns the owner's thread id; 0: none,
 * or not known at the moment; -1: several threads. False: not taken, and the caller should wait. */
bool win__spin(void *lock, DWORD (*owner)(void *lock), bool (*take)(void *lock));

#endif
