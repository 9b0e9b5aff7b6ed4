/* SPDX-License-Identifier: MIT
 *
 * idle_watch.h - a thread for each lane that notices at once when a carrier sleeps unseen by the
 * filter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_IDLE_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_IDLE_WATCH_H

struct lane;

/* Without this thread only the watch's look every 50 ms finds the lane's faults (fault_watch.c). */
void idle_watch_start(struct lane *lane);
void idle_watch_forget(struct lane *lane); /* in a child after fork */

#endif
