/* SPDX-License-Identifier: MIT
 *
 * closed_listeners.c - a listening socket is closed while AcceptEx operations wait on it: nobody can
 * connect from then on, and each operation ends as cancelled.
 *
 * modes: default, UMSSHIM_RING=0
 * with: ../api/sockets.c
 */
#include "../api/sockets.h"

#include "events.h"
#include "gtest_c.h"

#include <string.h>

enum { ROUNDS = 200, ACCEPTS = 8, ADDRESS_ROOM = sizeof(struct sockaddr_in) + 16 };

static struct {
    SOCKET served;
    OVERLAPPED over;
    char places[2 * ADDRESS_ROOM];
} accepts[ACCEPTS];

static void begin(unsigned i, SOCKET listener)
{
    DWORD bytes;

    memset(&accepts[i].over, 0, sizeof accepts[i].over);
    accepts[i].over.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    accepts[i].served = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_WSA(AcceptEx(listener, accepts[i].served, accepts[i].places, 0, ADDRESS_ROOM,
                        ADDRESS_ROOM, &bytes, &accepts[i].over)
                   ? 0
                   : SOCKET_ERROR,
               WSA_IO_PENDING);
}

static void expect_cancelled(unsigned i)
{
    EXPECT_EQ(WaitForSingleObject(accepts[i].over.hEvent, MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_EQ(accepts[i].over.Internal, (ULONG_PTR)0xc0000120); /* STATUS_CANCELLED */
    EXPECT_OK(CloseHandle(accepts[i].over.hEvent));
    socket_close(accepts[i].served);
}

static void close_while_accepting(void)
{
    struct sockaddr_in address;
    SOCKET listener, client = socket(AF_INET, SOCK_STREAM, 0);

    ASSERT_OK(socket_listener(&listener, &address));
    for (unsigned i = 0; i < ACCEPTS; i++)
        begin(i, listener);
    socket_close(listener);
    EXPECT_WSA(connect(client, (struct sockaddr *)&address, sizeof address), WSAECONNREFUSED);
    for (unsigned i = 0; i < ACCEPTS; i++)
        expect_cancelled(i);
    socket_close(client);
}

WINSOCK_TEST(ClosedListeners, accept_nobody)
{
    for (int round = 0; round < ROUNDS && !tc_failures(); round++)
        close_while_accepting();
}
