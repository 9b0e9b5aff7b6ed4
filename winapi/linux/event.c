/* SPDX-License-Identifier: MIT
 *
 * event.c - event objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/named_sync.h"

static struct object *make(const struct sync_request *request)
{
    bool manual = request->shared == OBJECT_SHARED_MANUAL_EVENT;
    struct object *event =
        object_create(manual ? OBJECT_MANUAL_EVENT : OBJECT_AUTO_EVENT, sizeof *event);
    if (event)
        event->signal = (int32_t)request->value;
    return event;
}

static struct sync_request request_of(BOOL manual, BOOL signalled)
{
    return (struct sync_request){.family = FAMILY_EVENT,
                                 .shared =
                                     manual ? OBJECT_SHARED_MANUAL_EVENT : OBJECT_SHARED_AUTO_EVENT,
                                 .value = signalled != 0,
                                 .make = make};
}

HANDLE WINAPI CreateEventA(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCSTR lpName)
{
    (void)lpEventAttributes;
    struct sync_request request = request_of(bManualReset, bInitialState);
    return win__create_sync(&request, lpName);
}

HANDLE WINAPI CreateEventW(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCWSTR lpName)
{
    (void)lpEventAttributes;
    struct sync_request request = request_of(bManualReset, bInitialState);
    return win__create_sync_w(&request, lpName);
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
    return win__open_sync(FAMILY_EVENT, lpName);
}

HANDLE WINAPI OpenEventW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_sync_w(FAMILY_EVENT, lpName);
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
