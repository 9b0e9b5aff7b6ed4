/* SPDX-License-Identifier: MIT
 *
 * hook_effect.c - see hook_effect.h.
 */
#include "platform/windows/hook_effect.h"

#include <string.h>
#include <windows.h>

#include "platform/windows/calls/wait_hooks.h"
#include "platform/windows/switch/arrivals.h"

/* Whether the engine sees signals. Workers can be switched in place without that (wait_hooks.c),
 * but not without the hooks of delays and of waits. */
static bool signals_are_hooked(void)
{
    for (size_t i = 0; i < wait_hook_count; i++)
        if (strcmp(wait_hooks[i].name, "NtSetEvent") == 0)
            return !hook_is_refused(&wait_hooks[i]);
    return false;
}

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
    CloseHandle(event);
    if (!signals_are_hooked())
        arrives(ARRIVAL_SIGNAL);
    arrivals_counted = false;
    for (int i = 0; i < ARRIVALS && !missing; i++)
        if (names[i] && !atomic_load(&arrivals[i]))
            missing = names[i];
    return missing;
}

bool hook_effect_of_alerts(void (*wake)(void *arg), void *arg)
{
    uint32_t before = atomic_load(&arrivals[ARRIVAL_ALERT]);
    arrivals_counted = true;
    wake(arg);
    arrivals_counted = false;
    return atomic_load(&arrivals[ARRIVAL_ALERT]) != before;
}
