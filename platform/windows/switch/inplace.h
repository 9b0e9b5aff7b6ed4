/* SPDX-License-Identifier: MIT
 *
 * inplace.h - see inplace.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_INPLACE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_INPLACE_H

#include <windows.h>

#include "platform/platform.h"

/* The start of a worker's own thread: makes the context that begins with main(worker), hands it to
 * the core, and waits. On that thread, in the function of a sched_base whose position is
 * home_sp. */
_Noreturn void inplace_home(struct plat_context *worker, void (*main)(struct plat_context *worker));

/* The calling worker goes on at home: on its own thread, its scheduler's waits for it. It stays
 * there until it leaves its scheduler. Nothing to do for one that is there. */
void inplace_go_home(struct plat_context *worker);

/* The same for one that ends: its scheduler is told, by after. */
void inplace_end_home(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *, void *));

/* Worker at home: it has to stay there. Looked at each time before it leaves, and not kept: a token
 * that some call has given it may be taken away by one that nobody sees. */
bool inplace_stays_home(const struct plat_context *worker);

/* Worker at home: leaves its stack, so that it can be executed anywhere. then(worker) is called on
 * its thread, which waits when that returns. Returns when the worker was executed. */
void inplace_leave_home(struct plat_context *worker, void (*then)(struct plat_context *worker));

#endif
