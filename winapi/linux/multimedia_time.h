/* SPDX-License-Identifier: MIT
 *
 * multimedia_time.h - winmm's periods; its timers after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MULTIMEDIA_TIME_H
#define UMSSHIM_WINAPI_LINUX_MULTIMEDIA_TIME_H

#include "winapi/linux/surface.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <mmsystem.h>
#pragma GCC visibility pop

enum { SHORTEST_PERIOD = 1, LONGEST_PERIOD = 1000000 };

static inline bool win__known_period(UINT milliseconds)
{
    return milliseconds >= SHORTEST_PERIOD && milliseconds <= LONGEST_PERIOD;
}

/* In a child after fork: the timers are the parent's. */
void multimedia_timers_forget(void);

#endif
