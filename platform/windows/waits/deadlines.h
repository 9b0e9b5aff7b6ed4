/* SPDX-License-Identifier: MIT
 *
 * deadlines.h - the deadlines of waits in user mode, earliest first. Under wait_lock.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DEADLINES_H

#include "platform/windows/engine.h"

/* From now on somebody looks. */
void deadlines_are_served(void);
bool deadlines_insert(struct plat_context *worker);
/* A worker that waits forever needs no place. False: no memory, or no thread looks at deadlines
 * yet. */
static inline bool deadlines_add(struct plat_context *worker)
{
    worker->wait.place = 0;
    return worker->wait.deadline == PLAT_FOREVER || deadlines_insert(worker);
}
/* Nothing to do for one that is not there. */
void deadlines_remove(struct plat_context *worker);
/* Whose is the earliest, or NULL. */
struct plat_context *deadlines_first(void);

#endif
