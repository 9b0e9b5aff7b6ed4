/* SPDX-License-Identifier: MIT
 *
 * asking.h - deferred calls after a write.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_ASKING_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_ASKING_H

struct lane;

/* A worker of the lane has written to this number: attempts deferred calls again. On that worker,
 * with no lock held. */
void asking_after_write(struct lane *lane, int written);

#endif
