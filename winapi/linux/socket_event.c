/* SPDX-License-Identifier: MIT
 *
 * socket_event.c - Winsock's calls for events: WSACreateEvent, WSAWaitForMultipleEvents,
 * WSAEventSelect and their kin.
 */
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/socket.h"

WSAEVENT WSACreateEvent(void)
{
    return win__winsock_started() ? CreateEventA(NULL, TRUE, FALSE, NULL) : WSA_INVALID_EVENT;
}

/* Winsock has one error for every handle that is no event's. */
static BOOL result_of(BOOL done)
{
    return done ? TRUE : win__fail(WSA_INVALID_HANDLE);
}

BOOL WSACloseEvent(WSAEVENT hEvent)
{
    return win__winsock_started() && result_of(CloseHandle(hEvent));
}

BOOL WSASetEvent(WSAEVENT hEvent)
{
    return win__winsock_started() && result_of(SetEvent(hEvent));
}

BOOL WSAResetEvent(WSAEVENT hEvent)
{
    return win__winsock_started() && result_of(ResetEvent(hEvent));
}

STOP_LOOKS DWORD WSAWaitForMultipleEvents(DWORD cEvents, const WSAEVENT *lphEvents, BOOL fWaitAll,
                                          DWORD dwTimeout, BOOL fAlertable)
{
    if (!win__winsock_started())
        return WSA_WAIT_FAILED;
    DWORD result = WaitForMultipleObjectsEx(cEvents, lphEvents, fWaitAll, dwTimeout, fAlertable);
    stop_look();
    return result;
}

/* The event of a handle, with a reference, or NULL. */
static struct object *event_object(WSAEVENT handle)
{
    struct object *object = handle ? handle_object(handle) : NULL;
    if (!object || object_is_event(object))
        return object;
    object_drop(object);
    return NULL;
}

int WSAEventSelect(SOCKET s, WSAEVENT hEventObject, long lNetworkEvents)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    struct object *event = NULL;
    DWORD error = lNetworkEvents & ~(long)FD_ALL_EVENTS ? WSAEINVAL : 0;
    if (!error && lNetworkEvents) {
        event = event_object(hEventObject);
        error = !event ? WSAEINVAL : async_start() ? WSAENOBUFS : win__set_nonblocking(file, true);
    }
    if (!error)
        network_events_select(file, event, (unsigned)lNetworkEvents);
    else if (event)
        object_drop(event);
    return win__socket_end(file, error);
}

int WSAEnumNetworkEvents(SOCKET s, WSAEVENT hEventObject, LPWSANETWORKEVENTS lpNetworkEvents)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    struct object *event = event_object(hEventObject);
    DWORD error = lpNetworkEvents ? 0 : WSAEFAULT;
    if (!error && hEventObject && !event)
        error = WSAEINVAL;
    if (!error)
        network_events_take(file, event, lpNetworkEvents);
    if (event)
        object_drop(event);
    return win__socket_end(file, error);
}
