/* SPDX-License-Identifier: MIT
 *
 * hook_effect.c - see hook_effect.h.
 */
#include "platform/windows/hook_effect.h"

#include <windows.h>

#include "platform/windows/switch/arrivals.h"

const char *hook_effect_missing(void)
{
    static const char *const names[ARRIVALS] = {[ARRIVAL_DELAY] = "Sleep",
                                                [ARRIVAL_SIGNAL] = "SetEvent",
                                                [ARRIVAL_WAIT] = "WaitForSingleObject"};
    HANDLE event = CreateEventW(NULL, FALSE, FALSE, NULL);
    const char *missing = NULL;
    if (!event)
        return "CreateEvent";
    arrivals_counted = true;
    Sleep(0);
    SetEvent(event);
    WaitForSingleObject(event, 0);
    arrivals_counted = false;
    CloseHandle(event);
    for (int i = 0; i < ARRIVALS && !missing; i++)
        if (!atomic_load(&arrivals[i]))
            missing = names[i];
    return missing;
}
