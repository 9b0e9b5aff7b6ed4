/* SPDX-License-Identifier: MIT
 *
 * socket_event.c - Winsock's names for events: manual-reset events, and waits for them.
 */
#include "winapi/linux/socket.h"

WSAEVENT WSACreateEvent(void)
{
    return win__winsock_started() ? CreateEventA(NULL, TRUE, FALSE, NULL) : WSA_INVALID_EVENT;
}

/* Winsock has one word for what is no event. */
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

DWORD WSAWaitForMultipleEvents(DWORD cEvents, const WSAEVENT *lphEvents, BOOL fWaitAll,
                               DWORD dwTimeout, BOOL fAlertable)
{
    if (!win__winsock_started())
        return WSA_WAIT_FAILED;
    return WaitForMultipleObjectsEx(cEvents, lphEvents, fWaitAll, dwTimeout, fAlertable);
}
