/* SPDX-License-Identifier: MIT
 *
 * multimedia_time.c - winmm's clock. Time-outs here do not depend on a tick, so timeBeginPeriod has
 * nothing to do.
 */
#include "winapi/linux/multimedia_time.h"

STOP_LOOKS DWORD WINAPI timeGetTime(void)
{
    DWORD now = GetTickCount();
    stop_look();
    return now;
}

MMRESULT WINAPI timeGetDevCaps(LPTIMECAPS ptc, UINT cbtc)
{
    if (!ptc || cbtc < sizeof *ptc)
        return TIMERR_NOCANDO;
    *ptc = (TIMECAPS){.wPeriodMin = SHORTEST_PERIOD, .wPeriodMax = LONGEST_PERIOD};
    return TIMERR_NOERROR;
}

static MMRESULT known_period(UINT period)
{
    return win__known_period(period) ? TIMERR_NOERROR : TIMERR_NOCANDO;
}

MMRESULT WINAPI timeBeginPeriod(UINT uPeriod)
{
    return known_period(uPeriod);
}

MMRESULT WINAPI timeEndPeriod(UINT uPeriod)
{
    return known_period(uPeriod);
}
