/* SPDX-License-Identifier: MIT
 *
 * timer.h - one queue of deadlines.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TIMER_H
#define UMSSHIM_PLATFORM_LINUX_TIMER_H

#include <stdbool.h>

struct plat_timer;
int timer_start(void);
void timer_add(struct plat_timer *timer);
bool timer_cancel(struct plat_timer *timer); /* false: it fires or has fired */

#endif
