/* SPDX-License-Identifier: MIT
 *
 * errand.h - what a worker's home does for it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H

#include "platform/linux/calls/call_ops.h"

/* Parks the calling home thread, which makes its context's calls meanwhile, until it is told otherwise:
 * HOME_RETURN or HOME_EXIT. */
uint32_t home_park(struct plat_context *context);

/* The operations of a priority-inheriting futex, and any futex operation on a helper. */
enum outcome attempt_futex_pi(struct call *call);
long block_futex(struct call *call);
/* And a call that is a function of libc's, made by the worker's home: args[0] of home_function_call. */
typedef long home_function(const long *args);
extern const struct trapped_call home_function_call;

#endif
