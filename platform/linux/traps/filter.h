/* SPDX-License-Identifier: MIT
 *
 * filter.h - the filter, whose action is a notification or a trap.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H

/* In si_errno of a SIGSYS that is this filter's, or the messenger's. Read by trap_entry.S. */
#define TRAP_MARK 0x554d

#ifndef __ASSEMBLER__

#include <stdbool.h>

/* Installs the filter that notifies on the calling thread; the listener, or -errno. */
int filter_install_notifying(void);
/* The one that traps; 0 or -errno. */
int filter_install_traps(void);
/* Set by the library's constructor: has a handler for SIGSYS, ahead of the first of either.
 * `guards`: thread pointers will be guarded. False: it cannot be had. */
extern bool (*filter_before)(bool guards);

#endif
#endif
