/* SPDX-License-Identifier: MIT
 *
 * stop.h - see stop.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_STOP_H
#define UMSSHIM_PLATFORM_WINDOWS_STOP_H

#include <stdbool.h>

struct plat_context;

/* Brings about what was asked of the worker: to stop or to end. For the calling worker itself it
 * returns when it was resumed and executed again. */
void stop_enforce(struct plat_context *worker);

/* A frozen worker was executed, or is to end. */
void stop_thaw(struct plat_context *worker, bool end);

#endif
