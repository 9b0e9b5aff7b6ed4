/* SPDX-License-Identifier: MIT
 *
 * short_locks.h - see short_locks.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SHORT_LOCKS_H
#define UMSSHIM_PLATFORM_WINDOWS_SHORT_LOCKS_H

#include <stdbool.h>

/* Once, before there are workers. */
void short_locks_resolve(void);

/* The calling thread is about to wait for a lock inside one of those functions of ntdll. */
bool short_locks_awaited(void);

#endif
