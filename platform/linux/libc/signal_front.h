/* SPDX-License-Identifier: MIT
 *
 * signal_front.h - functions that the fronts for signals share.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_FRONT_H

#include <signal.h>

/* The worker or scheduler that lives on this control block, NULL: a plain thread. */
struct plat_context *ums_thread(pthread_t thread);
/* Sends to one thread, the caller included; 0 or an errno. */
int send_to_thread(struct plat_context *target, const siginfo_t *info);
/* Changes the calling UMS thread's mask, as sigprocmask does: 0 or an errno. */
int change_mask(int how, uint64_t set, uint64_t *old);

#endif
