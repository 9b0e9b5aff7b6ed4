/* SPDX-License-Identifier: MIT
 *
 * carry_object.h - a worker's wait for one object, up to where it is registered.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CARRY_OBJECT_H
#define UMSSHIM_PLATFORM_WINDOWS_CARRY_OBJECT_H

#include "platform/windows/engine.h"

/* Another handle of the same object, NULL if there can be none. */
HANDLE carry_own_handle(HANDLE handle);

/* handoff.c, under carry_lock: registers the worker as young. False: the object may have been
 * signalled since it was looked at, or is private no more. */
bool handoff_add(struct plat_context *worker);

#endif
