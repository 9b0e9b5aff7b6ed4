/* SPDX-License-Identifier: MIT
 *
 * carry_object.h - a worker's wait for one object, up to where it is registered.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CARRY_OBJECT_H
#define UMSSHIM_PLATFORM_WINDOWS_CARRY_OBJECT_H

#include "platform/windows/carry.h"

/* NtWaitForSingleObject of the calling thread. */
struct carried carry_object(HANDLE object, BOOLEAN alertable, const LARGE_INTEGER *timeout);
/* The signal of a signal and wait, made first; the caller makes the wait. */
struct carried carry_signal(HANDLE signal, HANDLE object);

#endif
