/* SPDX-License-Identifier: MIT
 *
 * lanes.h - making lanes, and finding one.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_LANES_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_LANES_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct lane;
struct lane *lane_for(const cpu_set_t *allowed); /* NULL: no lane, no blocking call is noticed */
bool lane_hosts(struct lane *lane);              /* else the scheduler stays on its own thread */
void lane_leave(struct lane *lane);
/* Whether that thread answers notifications. A signal handler may call this, too. */
bool lane_reacts(pid_t tid);
void lanes_forget(void);

#endif
