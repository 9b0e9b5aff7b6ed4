/* SPDX-License-Identifier: MIT
 *
 * multimedia_time.c - winmm's clock. Time-outs have no tick here, so a period that is asked for is
 * there already.
 */
#include "winapi/linux/surface.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <mmsystem.h>
#pragma GCC visibility pop

enum { SHORTEST = 1, LONGEST = 1000000 };

DWORD WINAPI timeGetTime(void)
{
    return GetTickCount();
}

MMRESULT WINAPI timeGetDevCaps(LPTIMECAPS ptc, UINT cbtc)
{
    if (!ptc || cbtc < sizeof *ptc)
        return TIMERR_NOCANDO;
    *ptc = (TIMECAPS){.wPeriodMin = SHORTEST, .wPeriodMax = LONGEST};
    return TIMERR_NOERROR;
}

static MMRESULT known_period(UINT period)
{
    return period >= SHORTEST && period <= LONGEST ? TIMERR_NOERROR : TIMERR_NOCANDO;
}

MMRESULT WINAPI timeBeginPeriod(UINT uPeriod)
{
    return known_period(uPeriod);
}

MMRESULT WINAPI timeEndPeriod(UINT uPeriod)
{
    return known_period(uPeriod);
}
