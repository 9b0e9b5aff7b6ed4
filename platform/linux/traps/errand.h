/* SPDX-License-Identifier: MIT
 *
 * errand.h - calls that a context's home makes for it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_ERRAND_H

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/switch/home.h"

/* Parks the calling home thread. Meanwhile the thread makes its context's errands. Returns when
 * another thread writes one of HOME_RETURN, HOME_EXIT and HOME_DISMISSED into the home's word. */
uint32_t home_park(struct home *home);

/* Has the context's home make the call. The worker waits in place. */
enum outcome call_at_home(struct call *call);
/* The attempt for a priority-inheriting futex; and any futex operation, made by a helper. */
enum outcome attempt_futex_pi(struct call *call);
long block_futex(struct call *call);
/* The row of a call that is no system call: the worker's home calls the function args[0], for a
 * helper. */
typedef long home_function(const long *args);
extern const struct call_row home_function_call;
/* Has the home call a function at once, while the calling context waits in place. The function may
 * wait for no other context, and may use no thread-local variable. */
long home_run(struct plat_context *context, home_function *function, const long *args);

#endif
