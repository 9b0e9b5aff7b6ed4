/* SPDX-License-Identifier: MIT
 *
 * ntdll_wait.h - a worker's waits that are ntdll's own (os/ntdll_frames.h).
 *
 * The worker waits on the thread that carries it, and its scheduler is not told. These waits are
 * short: threads hold such a lock for moments, and no worker leaves its scheduler with it. In two
 * cases they are long. Then the worker leaves after all, and its TEB's address follows:
 *  - a worker has left its scheduler with the loader's lock, or with its turn to load: its DllMain
 *    waits for something. Perhaps only this very scheduler can execute it. The code looks for such
 *    a worker before the wait and every few milliseconds in it.
 *  - the wait has taken a second. The lock may be one of the program's, which ntdll takes by a
 *    function that we do not know, and its owner a worker that this scheduler has to execute.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_NTDLL_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_NTDLL_WAIT_H

#include "platform/windows/waits/user_wait.h"

/* Whether the calling worker's wait is one of these. `caller`: the return address of the stub's
 * call. */
bool ntdll_wait_is_one(const struct plat_context *self, const void *caller);

/* Waits by make(self, object, time-out), in short pieces. Not done: the caller makes the wait like
 * any other. */
struct wait_result ntdll_wait(struct plat_context *self, HANDLE object,
                              const LARGE_INTEGER *timeout,
                              NTSTATUS (*make)(struct plat_context *self, HANDLE object,
                                               const LARGE_INTEGER *timeout));

#endif
