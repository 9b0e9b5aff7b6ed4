/* SPDX-License-Identifier: MIT
 *
 * filter.h - the filter: one that notifies, or one that traps.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H

/* In si_errno of a SIGSYS that is this filter's. Read by trap_entry.S. */
#define TRAP_MARK 0x554d

#ifndef __ASSEMBLER__

#include <stdbool.h>

/* Installs the filter that notifies on the calling thread; the listener, or -errno. */
int filter_install(void);
/* The one that traps; 0 or -errno. */
int filter_install_traps(void);
/* Set by the library's constructor: has a handler for SIGSYS. False: it cannot be had. */
extern bool (*filter_before_traps)(void);

#endif
#endif
