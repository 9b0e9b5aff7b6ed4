/* SPDX-License-Identifier: MIT
 *
 * event.c - event objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/surface.h"

static struct object *new_event(BOOL manual, BOOL signalled)
{
    struct object *event =
        object_create(manual ? OBJECT_MANUAL_EVENT : OBJECT_AUTO_EVENT, sizeof *event);
    if (event)
        event->signal = signalled != 0;
    return event;
}

HANDLE WINAPI CreateEventA(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCSTR lpName)
{
    (void)lpEventAttributes;
    return win__create_named(new_event(bManualReset, bInitialState), FAMILY_EVENT, lpName);
}

HANDLE WINAPI CreateEventW(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCWSTR lpName)
{
    (void)lpEventAttributes;
    return win__create_named_w(new_event(bManualReset, bInitialState), FAMILY_EVENT, lpName);
}

HANDLE WINAPI CreateEventExA(LPSECURITY_ATTRIBUTES lpEventAttributes, LPCSTR lpName, DWORD dwFlags,
                             DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateEventA(lpEventAttributes, dwFlags & CREATE_EVENT_MANUAL_RESET,
                        dwFlags & CREATE_EVENT_INITIAL_SET, lpName);
}

HANDLE WINAPI CreateEventExW(LPSECURITY_ATTRIBUTES lpEventAttributes, LPCWSTR lpName, DWORD dwFlags,
                             DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateEventW(lpEventAttributes, dwFlags & CREATE_EVENT_MANUAL_RESET,
                        dwFlags & CREATE_EVENT_INITIAL_SET, lpName);
}

HANDLE WINAPI OpenEventA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_EVENT, lpName);
}

HANDLE WINAPI OpenEventW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_EVENT, lpName);
}

STOP_LOOKS BOOL WINAPI SetEvent(HANDLE hEvent)
{
    return win__acted(handle_act(hEvent, EVENT_SET, 0, NULL));
}

STOP_LOOKS BOOL WINAPI ResetEvent(HANDLE hEvent)
{
    return win__acted(handle_act(hEvent, EVENT_RESET, 0, NULL));
}

STOP_LOOKS BOOL WINAPI PulseEvent(HANDLE hEvent)
{
    return win__acted(handle_act(hEvent, EVENT_PULSE, 0, NULL));
}
