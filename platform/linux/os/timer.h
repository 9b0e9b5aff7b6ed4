/* SPDX-License-Identifier: MIT
 *
 * timer.h - one queue of deadlines.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TIMER_H
#define UMSSHIM_PLATFORM_LINUX_OS_TIMER_H

#include <stdbool.h>

struct plat_timer;
int timer_start(void);
struct lane;
void timer_start_in(
    struct lane *lane); /* a queue of the lane's own, if there can be a thread for it */
void timer_add(struct plat_timer *timer); /* in the queue of the caller's lane */
void timer_add_in(struct lane *lane, struct plat_timer *timer);
bool timer_cancel(struct plat_timer *timer); /* false: it fires or has fired */

#endif
