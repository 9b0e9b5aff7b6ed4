/* SPDX-License-Identifier: MIT
 *
 * filter.h - the filter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FILTER_H

/* Installs the filter on the calling thread; the listener, or -errno. */
int filter_install(void);

#endif
