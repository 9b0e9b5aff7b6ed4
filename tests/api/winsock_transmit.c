/* SPDX-License-Identifier: MIT
 *
 * winsock_transmit.c - TransmitFile, with a head and a tail around the file, and the state of a
 * socket that is disconnected afterwards.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: and_disconnects, bad_arguments
 */
#include "sockets.h"

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 10000, FILE_BYTES = 200000 };

/* Which byte of the file is where. */
static char byte_at(int at)
{
    return (char)(at * 31 + at / 251);
}

/* A file of FILE_BYTES, open for reading. */
static HANDLE make_file(DWORD flags)
{
    char *bytes = malloc(FILE_BYTES);
    DWORD written = 0;
    HANDLE file;
    int i;

    for (i = 0; i < FILE_BYTES; i++)
        bytes[i] = byte_at(i);
    file = CreateFileA(in_folder("data"), GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(file, bytes, FILE_BYTES, &written, NULL));
    EXPECT_OK(CloseHandle(file));
    free(bytes);
    file = CreateFileA(in_folder("data"), GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, flags,
                       NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    return file;
}

/* Receives these bytes of the file, which come next. */
static void expect_file(SOCKET one, int from, int count)
{
    char *bytes = malloc((size_t)count);
    int got = 0, step = 1, i;

    while (got < count && (step = recv(one, bytes + got, count - got, 0)) > 0)
        got += step;
    EXPECT_EQ(got, count);
    for (i = 0; i < got && bytes[i] == byte_at(from + i); i++)
        ;
    EXPECT_EQ(i, got);
    free(bytes);
}

static void expect_text(SOCKET one, const char *wanted)
{
    char text[16] = "";
    int count = (int)strlen(wanted), got = 0, step = 1;

    while (got < count && (step = recv(one, text + got, count - got, 0)) > 0)
        got += step;
    EXPECT_STREQ(text, wanted);
}

/* Gets TransmitFile by its id, as programs do. The name in mswsock.lib is the oldest way. */
static LPFN_TRANSMITFILE transmit_function(SOCKET one)
{
    return (LPFN_TRANSMITFILE)socket_extension(one, (GUID)WSAID_TRANSMITFILE);
}

struct sending {
    SOCKET one;
    HANDLE file;
};

static DWORD WINAPI transmit_all(void *arg)
{
    struct sending *sending = arg;
    TRANSMIT_FILE_BUFFERS around = {(void *)"head", 4, (void *)"tail!", 5};

    EXPECT_OK(transmit_function(sending->one)(sending->one, sending->file, 0, 0, NULL, &around, 0));
    return 0;
}

PAIR_TEST(WinsockTransmit, a_file_with_head_and_tail)
{
    struct sending sending;
    HANDLE thread;

    folder_make();
    sending.one = pair[0];
    sending.file = make_file(0);
    thread = CreateThread(NULL, 0, transmit_all, &sending, 0, NULL);
    ASSERT_OK(thread);
    expect_text(pair[1], "head");
    expect_file(pair[1], 0, FILE_BYTES);
    expect_text(pair[1], "tail!");
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(sending.file));
    folder_remove("data", NULL);
}

PAIR_TEST(WinsockTransmit, overlapped_from_an_offset)
{
    HANDLE file, port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    TRANSMIT_FILE_BUFFERS around = {(void *)"head", 4, NULL, 0};
    OVERLAPPED overlapped = {0};
    OVERLAPPED *told = NULL;
    ULONG_PTR key = 0;
    DWORD bytes = 0;

    folder_make();
    file = make_file(FILE_FLAG_OVERLAPPED);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair[0], port, 7, 0), port);
    overlapped.Offset = 1000;
    if (!transmit_function(pair[0])(pair[0], file, 150000, 4096, &overlapped, &around, 0))
        EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    expect_text(pair[1], "head");
    expect_file(pair[1], 1000, 150000);
    EXPECT_OK(GetQueuedCompletionStatus(port, &bytes, &key, &told, LIMIT_MS));
    EXPECT_EQ((void *)told, (void *)&overlapped);
    EXPECT_EQ(key, 7);
    EXPECT_EQ(bytes, 150004);
    EXPECT_OK(CloseHandle(file));
    folder_remove("data", NULL);
    EXPECT_OK(CloseHandle(port));
}

PAIR_TEST(WinsockTransmit, buffers_alone)
{
    TRANSMIT_FILE_BUFFERS around = {(void *)"head", 4, (void *)"tail", 4};
    WSAOVERLAPPED overlapped = {0};
    DWORD bytes = 0, flags = 0;

    overlapped.hEvent = WSACreateEvent();
    if (!transmit_function(pair[0])(pair[0], NULL, 0, 0, &overlapped, &around, 0))
        EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    EXPECT_OK(WSAGetOverlappedResult(pair[0], &overlapped, &bytes, TRUE, &flags));
    EXPECT_EQ(bytes, 8);
    expect_text(pair[1], "headtail");
    EXPECT_OK(WSACloseEvent(overlapped.hEvent));
}

WINSOCK_TEST(WinsockTransmit, and_disconnects)
{
    SOCKET pair[2], listener, again;
    struct sockaddr_in address;
    TRANSMIT_FILE_BUFFERS around = {(void *)"head", 4, NULL, 0};
    char byte;

    ASSERT_OK(socket_pair(pair));
    EXPECT_OK(transmit_function(pair[0])(pair[0], NULL, 0, 0, NULL, &around,
                                         TF_DISCONNECT | TF_REUSE_SOCKET));
    expect_text(pair[1], "head");
    EXPECT_EQ(recv(pair[1], &byte, 1, 0), 0);
    EXPECT_WSA(send(pair[0], "x", 1, 0), WSAENOTCONN);
    ASSERT_OK(socket_listener(&listener, &address));
    EXPECT_EQ(connect(pair[0], (struct sockaddr *)&address, sizeof address), 0); /* as new */
    again = accept(listener, NULL, NULL);
    ASSERT_NE(again, INVALID_SOCKET);
    EXPECT_EQ(send(pair[0], "a", 1, 0), 1);
    EXPECT_EQ(recv(again, &byte, 1, 0), 1);
    socket_close(again);
    socket_close(listener);
    socket_close(pair[0]);
    socket_close(pair[1]);
}

WINSOCK_TEST(WinsockTransmit, bad_arguments)
{
    SOCKET pair[2], one;
    TRANSMIT_FILE_BUFFERS around = {(void *)"head", 4, NULL, 0};

    ASSERT_OK(socket_pair(pair));
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_FAILS(TransmitFile(INVALID_SOCKET, NULL, 0, 0, NULL, &around, 0), WSAENOTSOCK);
    EXPECT_FAILS(TransmitFile(one, NULL, 0, 0, NULL, &around, 0), WSAENOTCONN);
    EXPECT_FAILS(TransmitFile(pair[0], NULL, 2147483647, 0, NULL, &around, 0), WSAEINVAL);
    EXPECT_FAILS(TransmitFile(pair[0], NULL, 0, 0, NULL, &around, TF_REUSE_SOCKET), WSAEINVAL);
    EXPECT_FAILS(TransmitFile(pair[0], (HANDLE)(ULONG_PTR)0x7ffffff0, 0, 0, NULL, &around, 0),
                 ERROR_INVALID_HANDLE);
    around.Head = NULL;
    EXPECT_FAILS(TransmitFile(pair[0], NULL, 0, 0, NULL, &around, 0), WSAEFAULT);
    EXPECT_WSA(WSASendDisconnect(one, NULL), WSAENOTCONN);
    EXPECT_EQ(WSASendDisconnect(pair[0], NULL), 0);
    EXPECT_WSA(send(pair[0], "x", 1, 0), WSAESHUTDOWN);
    socket_close(one);
    socket_close(pair[0]);
    socket_close(pair[1]);
    EXPECT_FAILS(TransmitFile(pair[0], NULL, 0, 0, NULL, &around, 0), WSAENOTSOCK);
}
