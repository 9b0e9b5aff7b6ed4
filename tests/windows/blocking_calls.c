/* SPDX-License-Identifier: MIT
 *
 * blocking_calls.c - calls that wait for files, pipes, the registry and sockets: another worker of the same scheduler
 * runs meanwhile and ends the wait.
 *
 * modes: default, umsrun
 * with: meeting.c
 * libraries: synchronization, ws2_32
 */
#include <winsock2.h>

#include "fleet.h"
#include "gtest_c.h"
#include "meeting.h"

#include <stdio.h>

/* ---- Pipes --------------------------------------------------------------------------------------- */

static void read_pipe(struct meeting *meeting)
{
    char text[8] = "";
    DWORD got = 0;

    EXPECT_OK(ReadFile(meeting->a, text, sizeof text, &got, NULL));
    EXPECT_EQ(got, 5);
    EXPECT_STREQ(text, "hello");
}

static void write_pipe(struct meeting *meeting)
{
    DWORD written = 0;

    EXPECT_OK(WriteFile(meeting->b, "hello", 5, &written, NULL));
    EXPECT_EQ(written, 5);
}

TEST(BlockingCalls, read_of_an_empty_pipe)
{
    struct meeting meeting = {.block = read_pipe, .complete = write_pipe};

    ASSERT_OK(CreatePipe(&meeting.a, &meeting.b, NULL, 0));
    meet(&meeting);
}

static void close_writer(struct meeting *meeting)
{
    EXPECT_OK(CloseHandle(meeting->b));
    meeting->b = NULL;
}

static void read_broken_pipe(struct meeting *meeting)
{
    char text[8];
    DWORD got = 1;

    EXPECT_FAILS(ReadFile(meeting->a, text, sizeof text, &got, NULL), ERROR_BROKEN_PIPE);
    EXPECT_EQ(got, 0);
}

TEST(BlockingCalls, read_of_a_pipe_that_breaks)
{
    struct meeting meeting = {.block = read_broken_pipe, .complete = close_writer};

    ASSERT_OK(CreatePipe(&meeting.a, &meeting.b, NULL, 0));
    meet(&meeting);
}

/* ---- The registry -------------------------------------------------------------------------------- */

static HKEY watched_key;

static void wait_for_change(struct meeting *meeting)
{
    EXPECT_EQ(RegNotifyChangeKeyValue(watched_key, FALSE, REG_NOTIFY_CHANGE_LAST_SET, NULL, FALSE),
              ERROR_SUCCESS);
}

/* The call is under way before the system knows of it: so until it has come back. */
static void change_often(struct meeting *meeting)
{
    ULONGLONG end = GetTickCount64() + LIMIT_MS;

    for (DWORD i = 0; !flag_get(&meeting->returned) && GetTickCount64() < end; i++) {
        EXPECT_EQ(RegSetValueExA(watched_key, "value", 0, REG_DWORD, (const BYTE *)&i, sizeof i),
                  ERROR_SUCCESS);
        Sleep(1);
    }
}

TEST(BlockingCalls, change_of_a_registry_key)
{
    struct meeting meeting = {.block = wait_for_change, .complete = change_often};
    char name[64];

    snprintf(name, sizeof name, "Software\\umsshim-test-%lu", (unsigned long)GetCurrentProcessId());
    ASSERT_EQ(RegCreateKeyExA(HKEY_CURRENT_USER, name, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS,
                              NULL, &watched_key, NULL),
              ERROR_SUCCESS);
    meet(&meeting);
    EXPECT_EQ(RegCloseKey(watched_key), ERROR_SUCCESS);
    EXPECT_EQ(RegDeleteKeyA(HKEY_CURRENT_USER, name), ERROR_SUCCESS);
}

/* ---- Named pipes --------------------------------------------------------------------------------- */

static char pipe_name[64];

static void connect_pipe(struct meeting *meeting)
{
    /* On a busy machine the client may have come before. */
    BOOL connected = ConnectNamedPipe(meeting->a, NULL);

    EXPECT_THAT(connected || GetLastError() == ERROR_PIPE_CONNECTED, "last error %lu",
                GetLastError());
}

static void open_pipe(struct meeting *meeting)
{
    meeting->b = CreateFileA(pipe_name, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT_NE(meeting->b, INVALID_HANDLE_VALUE);
}

TEST(BlockingCalls, waiting_for_a_client_of_a_named_pipe)
{
    struct meeting meeting = {.block = connect_pipe, .complete = open_pipe};

    snprintf(pipe_name, sizeof pipe_name, "\\\\.\\pipe\\umsshim-test-%lu", GetCurrentProcessId());
    meeting.a = CreateNamedPipeA(pipe_name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_WAIT, 1, 4096,
                                 4096, 0, NULL);
    ASSERT_NE(meeting.a, INVALID_HANDLE_VALUE);
    meet(&meeting);
}

/* ---- Files --------------------------------------------------------------------------------------- */

static void lock_file(struct meeting *meeting)
{
    OVERLAPPED where = {0};

    EXPECT_OK(LockFileEx(meeting->a, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &where));
    EXPECT_OK(UnlockFileEx(meeting->a, 0, 1, 0, &where));
}

static void unlock_file(struct meeting *meeting)
{
    OVERLAPPED where = {0};

    EXPECT_OK(UnlockFileEx(meeting->b, 0, 1, 0, &where));
}

TEST(BlockingCalls, lock_of_a_file_that_is_locked)
{
    struct meeting meeting = {.block = lock_file, .complete = unlock_file};
    OVERLAPPED where = {0};
    char folder[MAX_PATH], path[MAX_PATH];

    ASSERT_OK(GetTempPathA(sizeof folder, folder));
    ASSERT_OK(GetTempFileNameA(folder, "ums", 0, path));
    meeting.a = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                            NULL, OPEN_EXISTING, 0, NULL);
    meeting.b = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                            NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_OK(LockFileEx(meeting.b, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &where));
    meet(&meeting);
    EXPECT_OK(DeleteFileA(path));
}

/* ---- Sockets ------------------------------------------------------------------------------------- */

static void accept_and_receive(struct meeting *meeting)
{
    SOCKET socket = accept(meeting->listener, NULL, NULL);
    char text[8] = "";

    EXPECT_NE(socket, INVALID_SOCKET);
    EXPECT_EQ(recv(socket, text, sizeof text, 0), 5);
    EXPECT_STREQ(text, "hello");
    EXPECT_EQ(closesocket(socket), 0);
}

static void connect_and_send(struct meeting *meeting)
{
    meeting->client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(meeting->client, (void *)&meeting->address, sizeof meeting->address), 0);
    for (int i = 0; i < 3; i++)
        UmsThreadYield(NULL);
    EXPECT_EQ(send(meeting->client, "hello", 5, 0), 5);
}

TEST(BlockingCalls, accept_and_receive)
{
    struct meeting meeting = {.block = accept_and_receive, .complete = connect_and_send};
    int length = sizeof meeting.address;
    WSADATA data;

    ASSERT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
    meeting.listener = socket(AF_INET, SOCK_STREAM, 0);
    meeting.address.sin_family = AF_INET;
    meeting.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(meeting.listener, (void *)&meeting.address, sizeof meeting.address), 0);
    EXPECT_EQ(getsockname(meeting.listener, (void *)&meeting.address, &length), 0);
    EXPECT_EQ(listen(meeting.listener, 1), 0);
    meet(&meeting);
    EXPECT_EQ(closesocket(meeting.client), 0);
    EXPECT_EQ(closesocket(meeting.listener), 0);
    EXPECT_EQ(WSACleanup(), 0);
}
