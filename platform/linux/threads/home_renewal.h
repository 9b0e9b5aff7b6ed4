/* SPDX-License-Identifier: MIT
 *
 * home_renewal.h - whether a home whose worker has ended is as new, and making it so.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_RENEWAL_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_RENEWAL_H

#include "platform/linux/switch/home.h"

/* Sets up a home's thread-local block, which is zero before. */
void home_begins(struct plat_tls *own);
/* On the home's own thread, which a broker made. Called last, before the home may get a worker. */
void home_renewal_begin(struct home *home);
/* The stack of the home's worker was left for good. Whether libc and the kernel keep nothing of the
 * worker but what home_renew removes. Changes nothing. Any thread; takes no lock of libc's. */
bool home_is_renewable(const struct home *home);
/* For the worker itself, when its function has returned: whether the home will be renewable once
 * the destructors of thread_objects.h and thread_keys.h have run. Does not ask the kernel. */
bool home_is_renewable_then(const struct home *home);
/* Makes a home for which home_is_renewable was true as new. */
void home_renew(struct home *home);

#endif
