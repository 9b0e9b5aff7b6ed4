/* SPDX-License-Identifier: MIT
 *
 * bell.h - a scheduler that sleeps on files leaves its sleep (bell.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_BELL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_BELL_H

struct lane;

/* By another thread, with the deferral's lock. */
void bell_ring(struct lane *lane);

#endif
