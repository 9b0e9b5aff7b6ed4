/* SPDX-License-Identifier: MIT
 *
 * lent_call.h - UMSSHIM_FAULTS=1: system calls of the kind LENDS (calls.def), made so that the
 * worker's scheduler can be taken from it when it sleeps in one.
 *
 * Each waits in its own way, for a device, a file system in another process or over the network, a
 * peer; a signal may end that wait. So the carrier makes the call itself, as ever, and gets no
 * signal for the watch's sake: the worker says before the call that its scheduler may be taken, and
 * looks behind it (interrupt/fault.h). The call's site has to be rewritten (libc/sites.h);
 * by any other `syscall` such a call keeps the worker's scheduler, but for io_uring_enter, which
 * the filter stops meanwhile (filter.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_LENT_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_LENT_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct plat_context;

/* The call is one of them, and the watch runs. */
bool call_is_lent(long number);
/* Any call of the calling worker's: the result as the kernel has it. `behind` is where the program
 * makes it, or 0; `cancellable`: see lent_gate. Where nobody watches it is simply made. */
long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable);

#endif
