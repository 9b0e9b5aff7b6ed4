/* SPDX-License-Identifier: MIT
 *
 * object_wait.h - a worker's wait for one object, up to where it is registered.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_OBJECT_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_OBJECT_WAIT_H

#include "platform/windows/waits/user_wait.h"

/* NtWaitForSingleObject of the calling thread, whose stub was called from there. */
struct wait_result object_wait(HANDLE object, BOOLEAN alertable, const LARGE_INTEGER *timeout,
                               const void *caller);
/* The signal of a signal and wait, made first; the caller makes the wait. */
struct wait_result object_wait_signal(HANDLE signal, HANDLE object);

#endif
