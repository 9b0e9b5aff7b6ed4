/* SPDX-License-Identifier: MIT
 *
 * lent_call.h - UMSSHIM_FAULTS=1: system calls of the kind LENDS (calls.def). The watch can take a
 * worker's scheduler while the worker sleeps in one.
 *
 * Each such call waits in its own way: for a device, a file system in another process or over the
 * network, or a peer. A signal may end that wait. So the carrier makes the call itself, and the
 * watch sends the carrier no signal. Instead the worker says before the call that its scheduler may
 * be taken, and looks after the call whether it was (interrupt/fault.h). Only a call at a rewritten
 * site (libc/sites.h) is made so. At any other `syscall` the call keeps the worker's scheduler. For
 * io_uring_enter alone the filter helps: it stops that call while the watch runs (filter.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_LENT_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_LENT_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct plat_context;

/* Whether the number is a lent call's, and the watch runs. */
bool call_is_lent(long number);
/* Makes any call of the calling worker's and returns the kernel's result. `behind` is the
 * instruction after the program's `syscall`, or 0. `cancellable`: see lent_gate. Without the watch
 * the call is simply made. */
long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable);

#endif
