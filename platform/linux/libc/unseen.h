/* SPDX-License-Identifier: MIT
 *
 * unseen.h - libc's functions that wait, for workers whose system calls no listener sees.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_UNSEEN_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_UNSEEN_H

#include <time.h>

#include "platform/linux/libc/redirect.h"

struct lane;
struct plat_context;
/* The calling worker and its lane, if no listener sees the worker's calls; else NULL. */
struct plat_context *unseen_worker(struct lane **lane);
int unseen_clock_sleep(struct plat_context *self, clockid_t clock, int flags,
                       const struct timespec *request,
                       struct timespec *remain); /* 0 or the error */
/* The functions that stand before libc's only where there is no listener. */
extern struct unseen_row unseen_rows[]; /* ends with a row without a name */

#endif
