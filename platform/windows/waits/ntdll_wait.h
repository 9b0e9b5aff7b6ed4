/* SPDX-License-Identifier: MIT
 *
 * ntdll_wait.h - waits of a worker's that are ntdll's own (os/ntdll_frames.h): made where the
 * worker is, and nobody is told.
 *
 * They are short: such a lock is held for moments, and as nobody leaves with it, by threads that
 * run. Two kinds are not, and there the worker leaves after all, and its TEB's address follows:
 *  - the loader's lock, or turn to load, of a worker that has left its scheduler in between, as a
 *    DllMain may that waits for something itself: it may be executed by this very scheduler only.
 *    This is looked at before the wait and every few milliseconds in it.
 *  - what nobody has given up for a second. It may be a lock of the program's that ntdll takes by a
 *    function that we do not know, and its owner a worker that this scheduler has to execute.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_NTDLL_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_NTDLL_WAIT_H

#include "platform/windows/waits/user_wait.h"

/* The calling worker's wait, whose stub was called from here, is one of these. */
bool ntdll_wait_is_one(const struct plat_context *self, const void *caller);

/* The wait by make(self, object, time-out), piece by piece. Not done: it is to be made as any
 * other. */
struct wait_result ntdll_wait(struct plat_context *self, HANDLE object,
                              const LARGE_INTEGER *timeout,
                              NTSTATUS (*make)(struct plat_context *self, HANDLE object,
                                               const LARGE_INTEGER *timeout));

#endif
