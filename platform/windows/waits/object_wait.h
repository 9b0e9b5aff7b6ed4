/* SPDX-License-Identifier: MIT
 *
 * object_wait.h - a worker's wait for one object.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_OBJECT_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_OBJECT_WAIT_H

#include "platform/windows/waits/user_wait.h"

/* NtWaitForSingleObject of the calling thread. `caller`: the return address of the stub's call. */
struct wait_result object_wait(HANDLE object, BOOLEAN alertable, const LARGE_INTEGER *timeout,
                               const void *caller);
/* Gives the signal of a call that signals one object and waits for another. Done: the caller makes
 * the wait. */
struct wait_result object_wait_signal(HANDLE signal, HANDLE object);

#endif
