/* SPDX-License-Identifier: MIT
 *
 * interrupt_time.c - the time since the machine started, with and without the time that it slept.
 */
#include <time.h>

#include "winapi/linux/surface.h"

STOP_LOOKS VOID WINAPI QueryInterruptTimePrecise(PULONGLONG lpInterruptTimePrecise)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    *lpInterruptTimePrecise = (ULONGLONG)now.tv_sec * 10000000u + (ULONGLONG)now.tv_nsec / 100;
    stop_look();
}

STOP_LOOKS VOID WINAPI QueryInterruptTime(PULONGLONG lpInterruptTime)
{
    QueryInterruptTimePrecise(lpInterruptTime);
    stop_look();
}

STOP_LOOKS VOID WINAPI QueryUnbiasedInterruptTimePrecise(PULONGLONG lpUnbiasedInterruptTimePrecise)
{
    *lpUnbiasedInterruptTimePrecise = plat_now() / 100;
    stop_look();
}

/* There is no auxiliary counter on the machines that this library runs on. */
HRESULT WINAPI QueryAuxiliaryCounterFrequency(PULONGLONG lpAuxiliaryCounterFrequency)
{
    (void)lpAuxiliaryCounterFrequency;
    return E_NOTIMPL;
}
