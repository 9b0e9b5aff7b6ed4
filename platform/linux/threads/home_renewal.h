/* SPDX-License-Identifier: MIT
 *
 * home_renewal.h - whether a home whose worker has ended is as new, and making it so.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_RENEWAL_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_RENEWAL_H

#include "platform/linux/switch/home.h"

/* A home's thread-local block begins so: it is zero before. */
void home_begins(struct plat_tls *own);
/* On the home's own thread, made by a broker, as the last thing before it is anybody's. */
void home_renewal_begin(struct home *home);
/* The stack of the home's worker was left for good: whether nothing of the worker's is left in libc
 * or the kernel but what home_renew takes away. Changes nothing. Any thread, with no lock of
 * libc's. */
bool home_is_renewable(const struct home *home);
/* For the worker itself, past its own function: whether the same is to be expected once the
 * destructors of thread_objects.h and thread_keys.h have run. The kernel is not asked. */
bool home_is_renewable_then(const struct home *home);
/* What home_is_renewable was true of is as a thread that no worker has used. */
void home_renew(struct home *home);

#endif
