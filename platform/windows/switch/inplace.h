/* SPDX-License-Identifier: MIT
 *
 * inplace.h - see inplace.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_INPLACE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_INPLACE_H

#include <windows.h>

#include "platform/platform.h"

/* The start of a worker's own thread. Makes the context that begins with main(worker), hands it to
 * the core, and waits. Called by the function that sched_base has started there; home_sp is its
 * stack position. */
_Noreturn void inplace_home(struct plat_context *worker, void (*main)(struct plat_context *worker));

/* The calling worker goes on at home: its own thread runs it, and its scheduler's thread waits for
 * it. It stays there until it leaves its scheduler. Does nothing for a worker at home. */
void inplace_go_home(struct plat_context *worker);

/* The same for a worker that ends. Its scheduler does not wait but runs `after`. */
void inplace_end_home(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *, void *));

/* Whether a worker at home has to stay there. The worker asks each time before it leaves: a call
 * that the engine does not see may take a token away again. */
bool inplace_stays_home(const struct plat_context *worker);

/* Worker at home: leaves its stack, so that it can be executed anywhere. then(worker) is called on
 * its thread, which waits when that returns. Returns when the worker was executed. */
void inplace_leave_home(struct plat_context *worker, void (*then)(struct plat_context *worker));

#endif
