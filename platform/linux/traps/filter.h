/* SPDX-License-Identifier: MIT
 *
 * filter.h - the filter, whose action is a notification or a trap.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H

/* The filter and the messenger put this into si_errno of their SIGSYS. trap_entry.S reads it. */
#define TRAP_MARK 0x554d

#ifndef __ASSEMBLER__

#include <stdbool.h>

/* Installs the filter that notifies on the calling thread. Returns the listener, or -errno. */
int filter_install_notifying(void);
/* Installs the filter that traps. Returns 0 or -errno. */
int filter_install_traps(void);
/* The library's constructor sets this. It installs the handler of SIGSYS, before the first filter.
 * `guards`: thread pointers will be guarded. False: it could not. */
extern bool (*filter_before)(bool guards);

#endif
#endif
