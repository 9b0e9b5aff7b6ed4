/* SPDX-License-Identifier: MIT
 *
 * winsock_bad_input.c - closed sockets and handles that are no sockets, memory that cannot be read
 * or written, counts out of range, one OVERLAPPED for two operations, ports that are closed first.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: counts_out_of_range, what_is_no_socket
 */
#include "sockets.h"

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { LIMIT_MS = 10000, ROOM = sizeof(struct sockaddr_in) + 16 };

/* Every call that takes a socket says that this is none. */
static void expect_no_socket(SOCKET none)
{
    struct sockaddr_in address;
    int length = sizeof address, value = 0, value_length = sizeof value;
    char byte = 0, buffer[2 * ROOM];
    u_long on = 0;
    WSABUF part = {1, &byte};
    DWORD bytes = 0, flags = 0;
    WSAOVERLAPPED overlapped = {0};
    GUID id = WSAID_CONNECTEX;
    void *function = NULL;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    EXPECT_WSA(bind(none, (struct sockaddr *)&address, sizeof address), WSAENOTSOCK);
    EXPECT_WSA(listen(none, 1), WSAENOTSOCK);
    EXPECT_WSA(accept(none, NULL, NULL), WSAENOTSOCK);
    EXPECT_WSA(connect(none, (struct sockaddr *)&address, sizeof address), WSAENOTSOCK);
    EXPECT_WSA(send(none, &byte, 1, 0), WSAENOTSOCK);
    EXPECT_WSA(recv(none, &byte, 1, 0), WSAENOTSOCK);
    EXPECT_WSA(sendto(none, &byte, 1, 0, (struct sockaddr *)&address, sizeof address), WSAENOTSOCK);
    EXPECT_WSA(recvfrom(none, &byte, 1, 0, NULL, NULL), WSAENOTSOCK);
    EXPECT_WSA(shutdown(none, SD_BOTH), WSAENOTSOCK);
    EXPECT_WSA(getsockname(none, (struct sockaddr *)&address, &length), WSAENOTSOCK);
    EXPECT_WSA(getpeername(none, (struct sockaddr *)&address, &length), WSAENOTSOCK);
    EXPECT_WSA(getsockopt(none, SOL_SOCKET, SO_ERROR, (char *)&value, &value_length), WSAENOTSOCK);
    EXPECT_WSA(setsockopt(none, SOL_SOCKET, SO_KEEPALIVE, (char *)&value, sizeof value),
               WSAENOTSOCK);
    EXPECT_WSA(ioctlsocket(none, FIONBIO, &on), WSAENOTSOCK);
    EXPECT_WSA(WSASend(none, &part, 1, &bytes, 0, &overlapped, NULL), WSAENOTSOCK);
    EXPECT_WSA(WSARecv(none, &part, 1, &bytes, &flags, &overlapped, NULL), WSAENOTSOCK);
    EXPECT_WSA(WSAIoctl(none, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function,
                        sizeof function, &bytes, NULL, NULL),
               WSAENOTSOCK);
    EXPECT_FAILS(AcceptEx(none, none, buffer, 0, ROOM, ROOM, &bytes, &overlapped), WSAENOTSOCK);
    EXPECT_FAILS(TransmitFile(none, NULL, 0, 0, NULL, NULL, 0), WSAENOTSOCK);
    EXPECT_WSA(closesocket(none), WSAENOTSOCK);
}

WINSOCK_TEST(WinsockBadInput, what_is_no_socket)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL), file;
    SOCKET closed;

    folder_make();
    file = CreateFileA(in_folder("data"), GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0,
                       NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    closed = socket(AF_INET, SOCK_STREAM, 0);
    socket_close(closed);
    expect_no_socket(closed);
    expect_no_socket(INVALID_SOCKET);
    expect_no_socket((SOCKET)event);
    expect_no_socket((SOCKET)file);
    EXPECT_OK(SetEvent(event)); /* closesocket has closed neither */
    EXPECT_EQ(GetFileSize(file, NULL), 0);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(event));
    folder_remove("data", NULL);
}

/* The system gives what is opened next the descriptor of a socket that was closed. */
WINSOCK_TEST(WinsockBadInput, a_closed_socket_is_nobody_elses)
{
    SOCKET pair[2];
    HANDLE file;
    DWORD bytes = 0;

    folder_make();
    ASSERT_OK(socket_pair(pair));
    socket_close(pair[0]);
    file = CreateFileA(in_folder("data"), GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0,
                       NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_WSA(send(pair[0], "lost", 4, 0), WSAENOTSOCK);
    EXPECT_WSA(closesocket(pair[0]), WSAENOTSOCK);
    EXPECT_EQ(GetFileSize(file, NULL), 0);
    EXPECT_OK(WriteFile(file, "kept", 4, &bytes, NULL));
    EXPECT_EQ(GetFileSize(file, NULL), 4);
    EXPECT_OK(CloseHandle(file));
    socket_close(pair[1]);
    folder_remove("data", NULL);
}

PAIR_TEST(WinsockBadInput, memory_at_the_edge)
{
    SYSTEM_INFO system;
    char *pages, *edge;
    DWORD was = 0, page, bytes = 0, flags = 0;
    WSABUF part;

    GetSystemInfo(&system);
    page = system.dwPageSize;
    pages = VirtualAlloc(NULL, 2 * page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    ASSERT_OK(pages);
    edge = pages + page;
    EXPECT_OK(VirtualProtect(edge, page, PAGE_NOACCESS, &was));
    memcpy(edge - 4, "abcd", 4);
    EXPECT_WSA(send(pair[0], edge, 4, 0), WSAEFAULT);
    EXPECT_EQ(send(pair[0], edge - 4, 4, 0), 4);
    EXPECT_WSA(recv(pair[1], edge, 4, 0), WSAEFAULT);
    EXPECT_EQ(recv(pair[1], edge - 4, 4, MSG_WAITALL), 4); /* nothing was lost */
    EXPECT_EQ(memcmp(edge - 4, "abcd", 4), 0);
    part.buf = edge;
    part.len = 4;
    EXPECT_WSA(WSASend(pair[0], &part, 1, &bytes, 0, NULL, NULL), WSAEFAULT);
    EXPECT_EQ(send(pair[0], "efgh", 4, 0), 4);
    EXPECT_WSA(WSARecv(pair[1], &part, 1, &bytes, &flags, NULL, NULL), WSAEFAULT);
    part.buf = edge - 4;
    EXPECT_EQ(WSARecv(pair[1], &part, 1, &bytes, &flags, NULL, NULL), 0);
    EXPECT_EQ(memcmp(edge - 4, "efgh", 4), 0);
    EXPECT_OK(VirtualFree(pages, 0, MEM_RELEASE));
}

PAIR_TEST(WinsockBadInput, counts_out_of_range)
{
    char byte = 0;
    WSABUF part = {1, &byte};
    DWORD bytes = 0, flags = 0;

    EXPECT_WSA(WSASend(pair[0], &part, 0, &bytes, 0, NULL, NULL), WSAEINVAL);
    EXPECT_WSA(WSARecv(pair[0], &part, 0, &bytes, &flags, NULL, NULL), WSAEINVAL);
    EXPECT_WSA(send(pair[0], &byte, -1, 0), WSAEFAULT);
    EXPECT_WSA(recv(pair[0], &byte, -1, 0), WSAEFAULT);
}

/* A program uses one OVERLAPPED for two operations by mistake. Each of the two ends once
 * nevertheless. */
PAIR_TEST(WinsockBadInput, an_overlapped_for_two)
{
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    char first = 0, second = 0;
    WSABUF into[2] = {{1, &first}, {1, &second}};
    OVERLAPPED both = {0};
    OVERLAPPED *told;
    ULONG_PTR key;
    DWORD bytes, flags = 0, i;

    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair[0], port, 3, 0), port);
    for (i = 0; i < 2; i++)
        EXPECT_WSA(WSARecv(pair[0], &into[i], 1, NULL, &flags, &both, NULL), WSA_IO_PENDING);
    EXPECT_EQ(send(pair[1], "ab", 2, 0), 2);
    for (i = 0; i < 2; i++) {
        told = NULL;
        bytes = 0;
        EXPECT_OK(GetQueuedCompletionStatus(port, &bytes, &key, &told, LIMIT_MS));
        EXPECT_EQ((void *)told, (void *)&both);
        EXPECT_EQ(bytes, 1);
    }
    EXPECT_EQ(first, 'a');
    EXPECT_EQ(second, 'b');
    EXPECT_OK(!GetQueuedCompletionStatus(port, &bytes, &key, &told, 0));
    EXPECT_EQ(GetLastError(), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(port));
}

WINSOCK_TEST(WinsockBadInput, a_port_that_goes_first)
{
    SOCKET pair[2];
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    char one = 0, other = 0;
    WSABUF into[2] = {{1, &one}, {1, &other}};
    OVERLAPPED first = {0}, second = {0};
    DWORD bytes, flags = 0;

    ASSERT_OK(socket_pair(pair));
    second.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair[0], port, 3, 0), port);
    EXPECT_WSA(WSARecv(pair[0], &into[0], 1, NULL, &flags, &first, NULL), WSA_IO_PENDING);
    EXPECT_WSA(WSARecv(pair[0], &into[1], 1, NULL, &flags, &second, NULL), WSA_IO_PENDING);
    EXPECT_OK(PostQueuedCompletionStatus(port, 1, 2, NULL)); /* nobody fetches it */
    EXPECT_OK(CloseHandle(port));
    EXPECT_FAILS(PostQueuedCompletionStatus(port, 1, 2, NULL), ERROR_INVALID_HANDLE);
    EXPECT_EQ(send(pair[1], "ab", 2, 0), 2);
    EXPECT_EQ(WaitForSingleObject(second.hEvent, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetOverlappedResult((HANDLE)pair[0], &second, &bytes, FALSE));
    EXPECT_EQ(bytes, 1);
    EXPECT_EQ(other, 'b');
    socket_close(pair[0]);
    socket_close(pair[1]);
    EXPECT_OK(CloseHandle(second.hEvent));
}

WINSOCK_TEST(WinsockBadInput, a_socket_is_read_and_written_as_a_file)
{
    SOCKET pair[2];
    OVERLAPPED reading = {0}, writing = {0};
    char text[8] = "";
    DWORD bytes = 0;

    ASSERT_OK(socket_pair(pair));
    reading.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    writing.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    EXPECT_FAILS(ReadFile((HANDLE)pair[0], text, sizeof text, &bytes, &reading), ERROR_IO_PENDING);
    if (!WriteFile((HANDLE)pair[1], "hello", 5, &bytes, &writing))
        EXPECT_EQ(GetLastError(), ERROR_IO_PENDING);
    EXPECT_OK(GetOverlappedResult((HANDLE)pair[1], &writing, &bytes, TRUE));
    EXPECT_EQ(bytes, 5);
    EXPECT_OK(GetOverlappedResult((HANDLE)pair[0], &reading, &bytes, TRUE));
    EXPECT_EQ(bytes, 5);
    EXPECT_STREQ(text, "hello");
    EXPECT_OK(CloseHandle((HANDLE)pair[0]));
    EXPECT_WSA(send(pair[0], text, 1, 0), WSAENOTSOCK);
    EXPECT_FAILS(ReadFile((HANDLE)pair[0], text, 1, &bytes, &reading), ERROR_INVALID_HANDLE);
    EXPECT_EQ(recv(pair[1], text, 1, 0), 0);
    socket_close(pair[1]);
    EXPECT_OK(CloseHandle(reading.hEvent));
    EXPECT_OK(CloseHandle(writing.hEvent));
}
