/* SPDX-License-Identifier: MIT
 *
 * deadlines.h - the deadlines of waits in user mode, earliest first. Under wait_lock.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H

#include "platform/windows/engine.h"

/* Nothing to do for one that waits forever. False: no memory. */
bool deadlines_add(struct plat_context *worker);
/* Nothing to do for one that is not there. */
void deadlines_remove(struct plat_context *worker);
/* Whose is the earliest, or NULL. */
struct plat_context *deadlines_first(void);

#endif
