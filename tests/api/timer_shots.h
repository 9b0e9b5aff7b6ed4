/* SPDX-License-Identifier: MIT
 *
 * timer_shots.h - callbacks of timers, counted, which wait for a gate if there is one.
 */
#ifndef UMSSHIM_TESTS_API_TIMER_SHOTS_H
#define UMSSHIM_TESTS_API_TIMER_SHOTS_H

#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"

enum { TICK_MS = 16, SOON_MS = 30, NEVER_MS = 3600000, AT_ONCE = 200 };

struct shots {
    HANDLE fired;  /* auto: set by each callback as it begins */
    HANDLE gate;   /* manual, or NULL: what callbacks wait for */
    HANDLE enough; /* manual: set at this count */
    int wanted;
    int count;    /* callbacks that returned */
    HANDLE timer; /* for callbacks that delete their own timer */
    HANDLE queue;
};

static inline void shots_init(struct shots *shots, int wanted)
{
    *shots =
        (struct shots){.fired = new_auto_event(), .enough = new_manual_event(), .wanted = wanted};
}

static inline void shots_clear(struct shots *shots)
{
    EXPECT_OK(CloseHandle(shots->fired));
    EXPECT_OK(CloseHandle(shots->enough));
    if (shots->gate)
        EXPECT_OK(CloseHandle(shots->gate));
}

static inline void shoot(struct shots *shots)
{
    EXPECT_OK(SetEvent(shots->fired));
    if (shots->gate)
        EXPECT_SIGNALLED(shots->gate);
    if (flag_add(&shots->count, 1) == shots->wanted)
        EXPECT_OK(SetEvent(shots->enough));
}

#endif
