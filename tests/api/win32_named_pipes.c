/* SPDX-License-Identifier: MIT
 *
 * win32_named_pipes.c - named pipes without an OVERLAPPED: names and instances, bytes, and the
 * end of either side.
 *
 * Wine 8 does not look at FILE_FLAG_FIRST_PIPE_INSTANCE, at how many instances there may be, or
 * whether all are of one kind. With PIPE_NOWAIT ConnectNamedPipe says in Wine 8 that the pipe
 * listens, already at the call that begins it.
 *
 * modes: ring
 * with: named_pipes.c
 * except: listening_again_without_waiting, the_first_instance
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "named_pipes.h"

#include <string.h>

enum { MESSAGES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE };

TEST_IN_EACH_KIND(Win32NamedPipes, bytes_go_both_ways)
{
    HANDLE ends[2];
    char buffer[8] = "";
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, 0, PIPE_TYPE_BYTE));
    EXPECT_EQ(GetFileType(ends[0]), FILE_TYPE_PIPE);
    EXPECT_EQ(GetFileType(ends[1]), FILE_TYPE_PIPE);
    pipe_write(ends[1], "hello");
    EXPECT_OK(ReadFile(ends[0], buffer, 2, &count, NULL));
    EXPECT_EQ(count, 2);
    pipe_read(ends[0], "llo");
    pipe_write(ends[0], "good");
    pipe_write(ends[0], " day");
    pipe_read(ends[1], "good day");
    pipe_close(ends);
}

TEST_IN_EACH_KIND(Win32NamedPipes, a_client_may_come_before_it_is_waited_for)
{
    HANDLE ends[2];

    ASSERT_OK(pipe_pair(ends, 0, PIPE_TYPE_BYTE));
    pipe_write(ends[1], "first");
    pipe_read(ends[0], "first");
    EXPECT_FAILS(ConnectNamedPipe(ends[0], NULL), ERROR_PIPE_CONNECTED);
    pipe_write(ends[0], "second");
    pipe_read(ends[1], "second");
    pipe_close(ends);
}

TEST_IN_EACH_KIND(Win32NamedPipes, names)
{
    char name[PIPE_NAME_ROOM], lengthy[400] = "\\\\.\\pipe\\";
    DWORD mode = PIPE_ACCESS_DUPLEX, count = 0;
    HANDLE server, client;

    pipe_new_name(name);
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(WaitNamedPipeA(name, 1), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(CallNamedPipeA(name, NULL, 0, NULL, 0, &count, 1), ERROR_FILE_NOT_FOUND);
    server = pipe_server(name, 0, 0, 1);
    name[strlen("\\\\.\\pipe\\")] = 'U'; /* the case does not count */
    client = pipe_client(name, 0);
    EXPECT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_FILE_NOT_FOUND);

    EXPECT_FAILS(CreateNamedPipeA("umsshim", mode, 0, 1, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_INVALID_NAME);
    EXPECT_FAILS(CreateNamedPipeA(NULL, mode, 0, 1, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_PATH_NOT_FOUND);
    memset(lengthy + strlen(lengthy), 'n', 200);
    server = pipe_server(lengthy, 0, 0, 1);
    lengthy[strlen(lengthy) - 1] = 'm'; /* the last letter counts as well */
    EXPECT_FAILS(pipe_client(lengthy, 0) != INVALID_HANDLE_VALUE, ERROR_FILE_NOT_FOUND);
    EXPECT_OK(CloseHandle(server));
}

TEST_IN_EACH_KIND(Win32NamedPipes, bad_parameters)
{
    char name[PIPE_NAME_ROOM];
    DWORD mode = PIPE_ACCESS_DUPLEX, count = 0, state = PIPE_READMODE_MESSAGE;
    HANDLE ends[2], event = CreateEventA(NULL, TRUE, FALSE, NULL);

    pipe_new_name(name);
    EXPECT_FAILS(CreateNamedPipeA(name, 0, 0, 1, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateNamedPipeA(name, mode, PIPE_READMODE_MESSAGE, 1, 0, 0, 0, NULL) !=
                     INVALID_HANDLE_VALUE,
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ConnectNamedPipe(NULL, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(DisconnectNamedPipe(INVALID_HANDLE_VALUE), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ConnectNamedPipe(event, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(PeekNamedPipe(event, NULL, 0, NULL, &count, NULL), ERROR_INVALID_HANDLE);
    ASSERT_OK(pipe_pair(ends, 0, PIPE_TYPE_BYTE));
    EXPECT_FAILS(SetNamedPipeHandleState(ends[1], &state, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TransactNamedPipe(ends[1], name, 1, name, 1, &count, NULL), ERROR_BAD_PIPE);
    pipe_close(ends);
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32NamedPipes, access)
{
    char name[PIPE_NAME_ROOM];
    HANDLE server, client;
    DWORD count = 0;
    char byte = 0;

    pipe_new_name(name);
    server = CreateNamedPipeA(name, PIPE_ACCESS_INBOUND, 0, 1, 64, 64, 0, NULL);
    ASSERT_NE(server, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_ACCESS_DENIED);
    client = CreateFileA(name, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    pipe_write(client, "in");
    pipe_read(server, "in");
    EXPECT_FAILS(WriteFile(server, "x", 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(ReadFile(client, &byte, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
}

TEST_IN_EACH_KIND(Win32NamedPipes, instances)
{
    char name[PIPE_NAME_ROOM];
    HANDLE servers[2], clients[2];
    DWORD mode = PIPE_ACCESS_DUPLEX, count = 0, state = 77;

    pipe_new_name(name);
    servers[0] = pipe_server(name, 0, MESSAGES, 2);
    servers[1] = pipe_server(name, 0, MESSAGES, 2);
    EXPECT_FAILS(CreateNamedPipeA(name, mode, MESSAGES, 2, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_PIPE_BUSY);
    clients[0] = pipe_client(name, 0);
    clients[1] = pipe_client(name, 0);
    EXPECT_NE(clients[0], INVALID_HANDLE_VALUE);
    EXPECT_NE(clients[1], INVALID_HANDLE_VALUE);
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_PIPE_BUSY);
    EXPECT_FAILS(WaitNamedPipeA(name, 10), ERROR_SEM_TIMEOUT);
    EXPECT_OK(GetNamedPipeHandleStateA(clients[0], &state, &count, NULL, NULL, NULL, 0));
    EXPECT_EQ(state, 0);
    EXPECT_EQ(count, 2);
    pipe_write(clients[1], "two");
    pipe_read(servers[1], "two");
    pipe_write(clients[0], "one");
    pipe_read(servers[0], "one");
    pipe_close(clients);
    pipe_close(servers);
}

TEST_IN_EACH_KIND(Win32NamedPipes, the_first_instance)
{
    char name[PIPE_NAME_ROOM];
    DWORD mode = PIPE_ACCESS_DUPLEX;
    HANDLE first;

    pipe_new_name(name);
    EXPECT_FAILS(CreateNamedPipeA(name, mode, 0, 0, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateNamedPipeA(name, mode, 0, 256, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_INVALID_PARAMETER);
    first = pipe_server(name, FILE_FLAG_FIRST_PIPE_INSTANCE, 0, 2);
    EXPECT_FAILS(CreateNamedPipeA(name, mode | FILE_FLAG_FIRST_PIPE_INSTANCE, 0, 2, 0, 0, 0,
                                  NULL) != INVALID_HANDLE_VALUE,
                 ERROR_ACCESS_DENIED);
    EXPECT_FAILS(CreateNamedPipeA(name, mode, MESSAGES, 2, 0, 0, 0, NULL) != INVALID_HANDLE_VALUE,
                 ERROR_ACCESS_DENIED); /* of one kind, all of them */
    EXPECT_OK(CloseHandle(first));
    first = pipe_server(name, FILE_FLAG_FIRST_PIPE_INSTANCE, 0, 2);
    EXPECT_OK(CloseHandle(first));
}

TEST_IN_EACH_KIND(Win32NamedPipes, what_is_known_of_an_end)
{
    HANDLE ends[2];
    DWORD flags = 77, out = 77, in = 77, most = 77, state = 77, count = 77;
    ULONG process = 0;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    EXPECT_OK(GetNamedPipeInfo(ends[0], &flags, &out, &in, &most));
    EXPECT_EQ(flags, PIPE_SERVER_END | PIPE_TYPE_MESSAGE);
    EXPECT_EQ(out, 4096);
    EXPECT_EQ(in, 8192);
    EXPECT_EQ(most, 1);
    EXPECT_OK(GetNamedPipeInfo(ends[1], &flags, NULL, NULL, &most));
    EXPECT_EQ(flags, PIPE_CLIENT_END | PIPE_TYPE_MESSAGE);
    EXPECT_EQ(most, 1);
    EXPECT_OK(GetNamedPipeHandleStateA(ends[0], &state, &count, NULL, NULL, NULL, 0));
    EXPECT_EQ(state, PIPE_READMODE_MESSAGE);
    EXPECT_EQ(count, 1);
    EXPECT_OK(GetNamedPipeHandleStateA(ends[1], &state, NULL, NULL, NULL, NULL, 0));
    EXPECT_EQ(state, PIPE_READMODE_BYTE);
    EXPECT_OK(GetNamedPipeClientProcessId(ends[0], &process));
    EXPECT_EQ(process, GetCurrentProcessId());
    EXPECT_OK(GetNamedPipeServerProcessId(ends[1], &process));
    EXPECT_EQ(process, GetCurrentProcessId());
    pipe_close(ends);
}

/* ---- The end --------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32NamedPipes, the_client_goes)
{
    HANDLE ends[2];
    char byte = 0;
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    pipe_write(ends[1], "last");
    pipe_write(ends[0], "unread");
    EXPECT_OK(CloseHandle(ends[1]));
    pipe_read(ends[0], "last");
    EXPECT_FAILS(ReadFile(ends[0], &byte, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_FAILS(WriteFile(ends[0], &byte, 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_FAILS(ConnectNamedPipe(ends[0], NULL), ERROR_NO_DATA);
    EXPECT_OK(DisconnectNamedPipe(ends[0]));
    EXPECT_FAILS(DisconnectNamedPipe(ends[0]), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_FAILS(ReadFile(ends[0], &byte, 1, &count, NULL), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_FAILS(WriteFile(ends[0], &byte, 1, &count, NULL), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_FAILS(PeekNamedPipe(ends[0], NULL, 0, NULL, &count, NULL), ERROR_BAD_PIPE);
    EXPECT_OK(CloseHandle(ends[0]));
}

TEST_IN_EACH_KIND(Win32NamedPipes, the_server_goes)
{
    HANDLE ends[2];
    char byte = 0;
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, 0, PIPE_TYPE_BYTE));
    pipe_write(ends[0], "last");
    EXPECT_OK(CloseHandle(ends[0]));
    pipe_read(ends[1], "last");
    EXPECT_FAILS(ReadFile(ends[1], &byte, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_FAILS(WriteFile(ends[1], &byte, 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_OK(CloseHandle(ends[1]));
}

TEST_IN_EACH_KIND(Win32NamedPipes, the_server_disconnects)
{
    char name[PIPE_NAME_ROOM];
    HANDLE server, client;
    char byte = 0;
    DWORD count = 77;

    pipe_new_name(name);
    server = pipe_server(name, 0, PIPE_TYPE_BYTE, 1);
    EXPECT_FAILS(ReadFile(server, &byte, 1, &count, NULL), ERROR_PIPE_LISTENING);
    EXPECT_FAILS(WriteFile(server, &byte, 1, &count, NULL), ERROR_PIPE_LISTENING);
    EXPECT_FAILS(DisconnectNamedPipe(server), ERROR_PIPE_LISTENING);
    client = pipe_client(name, 0);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_OK(DisconnectNamedPipe(server));
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_PIPE_BUSY);
    EXPECT_FAILS(ReadFile(client, &byte, 1, &count, NULL), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_FAILS(WriteFile(client, &byte, 1, &count, NULL), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
}

TEST_IN_EACH_KIND(Win32NamedPipes, without_waiting)
{
    char name[PIPE_NAME_ROOM];
    HANDLE server, client;
    char byte = 0;
    DWORD count = 77;

    pipe_new_name(name);
    server = pipe_server(name, 0, MESSAGES | PIPE_NOWAIT, 1);
    EXPECT_FAILS(ConnectNamedPipe(server, NULL), ERROR_PIPE_LISTENING);
    client = pipe_client(name, 0);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(ConnectNamedPipe(server, NULL), ERROR_PIPE_CONNECTED);
    EXPECT_FAILS(ReadFile(server, &byte, 1, &count, NULL), ERROR_NO_DATA);
    pipe_write(client, "now");
    pipe_read(server, "now");
    EXPECT_OK(CloseHandle(client));
    EXPECT_FAILS(ReadFile(server, &byte, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(server));
}

TEST_IN_EACH_KIND(Win32NamedPipes, listening_again_without_waiting)
{
    char name[PIPE_NAME_ROOM];
    HANDLE server, client;

    pipe_new_name(name);
    server = pipe_server(name, 0, MESSAGES | PIPE_NOWAIT, 1);
    client = pipe_client(name, 0);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(DisconnectNamedPipe(server));
    EXPECT_OK(ConnectNamedPipe(server, NULL)); /* it listens, and does not wait */
    EXPECT_FAILS(ConnectNamedPipe(server, NULL), ERROR_PIPE_LISTENING);
    client = pipe_client(name, 0);
    EXPECT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
}
