/* SPDX-License-Identifier: MIT
 *
 * helper.h - makes a call for real, on another kernel thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_HELPER_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_HELPER_H

#include <stdbool.h>

struct call;
void helper_submit(struct call *call);
bool helper_cancel(struct call *call); /* true: no helper has begun it; the caller owns it */
void helpers_forget(void);

#endif
