/* SPDX-License-Identifier: MIT
 *
 * timer.h - queues of deadlines.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TIMER_H
#define UMSSHIM_PLATFORM_LINUX_OS_TIMER_H

#include <stdbool.h>

struct plat_timer;
int timer_start(void);
struct lane;
/* Gives the lane a queue, if a thread can be made for it. */
void timer_start_in(struct lane *lane);
void timer_add(struct plat_timer *timer); /* in the queue of the caller's lane */
void timer_add_in(struct lane *lane, struct plat_timer *timer);
bool timer_cancel(struct plat_timer *timer); /* false: it fires or has fired */

#endif
