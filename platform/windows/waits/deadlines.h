/* SPDX-License-Identifier: MIT
 *
 * deadlines.h - the deadlines of waits in user mode, earliest first. Under wait_lock.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H

#include "platform/windows/engine.h"

/* The service thread says: from now on it looks at deadlines. */
void deadlines_are_served(void);
bool deadlines_insert(struct plat_context *worker);
/* A worker that waits forever needs no place. False: no memory, or no thread looks at deadlines
 * yet. */
static inline bool deadlines_add(struct plat_context *worker)
{
    worker->wait.place = 0;
    return worker->wait.deadline == PLAT_FOREVER || deadlines_insert(worker);
}
/* Does nothing for a worker that is not there. */
void deadlines_remove(struct plat_context *worker);
/* The worker with the earliest deadline, or NULL. */
struct plat_context *deadlines_first(void);

#endif
