/* SPDX-License-Identifier: MIT
 *
 * closed_listeners.c - a listening socket is closed while AcceptEx operations wait on it: nobody can
 * connect from then on, and each operation ends as cancelled. And it is closed in a child after
 * fork, while a thread of the parent's accepts: the parent goes on.
 *
 * modes: default, UMSSHIM_RING=0
 * with: ../api/sockets.c
 */
#include "../api/sockets.h"

#include "events.h"
#include "gtest_c.h"
#include "in_call.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- A child ---- */

static DWORD WINAPI accept_one(LPVOID listener)
{
    SOCKET served = accept((SOCKET)listener, NULL, NULL);

    EXPECT_NE(served, INVALID_SOCKET);
    if (served != INVALID_SOCKET)
        socket_close(served);
    return 0;
}

static int steps[4]; /* two pipes: the child has closed it, and may end */

static int close_and_stay(SOCKET listener)
{
    char byte = 0;
    int failed = closesocket(listener);

    close(steps[3]);
    return failed || write(steps[1], &byte, 1) != 1 || read(steps[2], &byte, 1) != 0;
}

TEST(ClosedListeners, a_child_closes_its_own)
{
    struct sockaddr_in address;
    SOCKET listener, client;
    HANDLE thread;
    int status = -1;
    char byte;
    pid_t child;

    ASSERT_EQ(pipe(steps) || pipe(steps + 2), 0);
    ASSERT_OK(winsock_start() && socket_listener(&listener, &address));
    client = socket(AF_INET, SOCK_STREAM, 0);
    thread = CreateThread(NULL, 0, accept_one, (LPVOID)listener, 0, NULL);
    EXPECT_OK(is_in_call(GetThreadId(thread), SYS_accept4, MEANWHILE_MS)); /* it is counted */
    child = fork();
    if (child == 0)
        _exit(close_and_stay(listener));
    EXPECT_EQ(read(steps[0], &byte, 1), 1);
    EXPECT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    EXPECT_EQ(WaitForSingleObject(thread, MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    socket_close(client);
    socket_close(listener);
    client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_WSA(connect(client, (struct sockaddr *)&address, sizeof address), WSAECONNREFUSED);
    socket_close(client);
    EXPECT_EQ(close(steps[3]), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    winsock_stop();
    for (int i = 0; i < 3; i++)
        close(steps[i]);
}
