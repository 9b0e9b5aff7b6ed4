/* SPDX-License-Identifier: MIT
 *
 * home_again.h - the end of a worker whose home gets another worker.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_AGAIN_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_AGAIN_H

#include "platform/linux/switch/lane.h"

/* On a scheduler of the lane (NULL: it has none), after the worker has left its stack for good.
 * True: the worker has ended, its context may be gone, and its home is in the lane's stock. False:
 * nothing has changed, and the caller wakes the home. */
bool home_is_kept(struct lane *lane, struct plat_context *worker);

#endif
