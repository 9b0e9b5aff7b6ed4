/* SPDX-License-Identifier: MIT
 *
 * ntdll_locks.h - see ntdll_locks.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_LOCKS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_LOCKS_H

#include <stdbool.h>

/* Once, before there are workers. */
void ntdll_locks_resolve(void);

/* The calling thread is about to wait for a lock inside one of those functions of ntdll. */
bool ntdll_locks_awaited(void);

#endif
