/* SPDX-License-Identifier: MIT
 *
 * errand.h - what a worker's home does for it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/switch/home.h"

/* Parks the calling home thread, which makes its context's calls meanwhile, until it is told
 * otherwise: HOME_RETURN, HOME_EXIT or HOME_DISMISSED. */
uint32_t home_park(struct home *home);

/* The call, made by its context's home: while the caller waits in place; on a helper. */
enum outcome call_at_home(struct call *call);
long call_block_at_home(struct call *call);
/* The operations of a priority-inheriting futex, and any futex operation on a helper. */
enum outcome attempt_futex_pi(struct call *call);
long block_futex(struct call *call);
/* And a call that is a function of libc's, made by the worker's home: args[0] of
 * home_function_call. */
typedef long home_function(const long *args);
extern const struct call_row home_function_call;
/* One that waits for nobody, made at once while the caller, the context, waits in place. It may use
 * no thread-local storage. */
long home_run(struct plat_context *context, home_function *function, const long *args);

#endif
