/* SPDX-License-Identifier: MIT
 *
 * bell.h - wakes a scheduler that sleeps on files (bell.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_BELL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_BELL_H

#include "platform/linux/switch/lane_parts.h"

struct lane;

/* Another thread calls it, with the deferral's lock held. */
void bell_ring(struct lane *lane, enum sleeper_told what);

#endif
