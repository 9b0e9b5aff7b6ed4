/* SPDX-License-Identifier: MIT
 *
 * loader_notices.h - see loader_notices.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_LOADER_NOTICES_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_LOADER_NOTICES_H

/* Asks the loader for notices of modules. Once; any thread. */
void loader_notices_start(void);

#endif
