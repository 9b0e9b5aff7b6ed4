/* SPDX-License-Identifier: MIT
 *
 * win32_pipe_of_two_processes.c - a process that was given a named pipe's end has set O_NONBLOCK, which holds for every
 * descriptor of that end: ReadFile and WriteFile wait all the same, and a pipe with PIPE_NOWAIT does not.
 *
 * modes: ways
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
    BYTES = 1 << 20, /* more than a socket takes */
    PROGRAMS_NUMBERS = 256
};

static HANDLE server, client;
static char sent[BYTES], came[BYTES];

/* Both ends, which are all the connected sockets there are. */
static int set_nonblocking(void)
{
    int ends = 0;

    for (int fd = 3; fd < PROGRAMS_NUMBERS; fd++) {
        int listens = 0;
        socklen_t length = sizeof listens;

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && !listens &&
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0)
            ends++;
    }
    return ends;
}

static void open_pipe(DWORD mode)
{
    static LONG count;
    char name[64];

    snprintf(name, sizeof name, "\\\\.\\pipe\\umsshim-two-%lu-%ld",
             (unsigned long)GetCurrentProcessId(), (long)InterlockedIncrement(&count));
    server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, mode, 1, 4096, 4096, 0, NULL);
    ASSERT_NE(server, INVALID_HANDLE_VALUE);
    client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_EQ(set_nonblocking(), 2);
}

static void close_pipe(void)
{
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(client));
}

static void read_hello(void *unused)
{
    char text[8] = "";
    DWORD count = 0;

    (void)unused;
    EXPECT_OK(ReadFile(client, text, sizeof text - 1, &count, NULL));
    EXPECT_STREQ(text, "hello");
}

static void write_hello(void *unused)
{
    DWORD count = 0;

    (void)unused;
    EXPECT_OK(WriteFile(server, "hello", 5, &count, NULL));
}

static void each_kind_reads(DWORD mode)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        open_pipe(mode);
        on_kind(kind, read_hello, write_hello, NULL);
        close_pipe();
    }
}

TEST(Win32PipeOfTwoProcesses, a_read_of_bytes_waits)
{
    each_kind_reads(PIPE_TYPE_BYTE);
}

TEST(Win32PipeOfTwoProcesses, a_read_of_a_message_waits)
{
    each_kind_reads(PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE);
}

static void write_much(void *unused)
{
    DWORD count = 0;

    (void)unused;
    EXPECT_OK(WriteFile(client, sent, BYTES, &count, NULL));
    EXPECT_EQ(count, BYTES);
}

static void read_much(void)
{
    DWORD count = 0;

    for (DWORD had = 0; had < BYTES; had += count) {
        count = 0;
        ASSERT_OK(ReadFile(server, came + had, BYTES - had, &count, NULL));
    }
}

TEST(Win32PipeOfTwoProcesses, a_write_waits_until_all_has_gone)
{
    memset(sent, 'x', sizeof sent);
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        struct kind_thread writer;

        memset(came, 0, sizeof came);
        open_pipe(PIPE_TYPE_BYTE);
        ASSERT_EQ(kind_start(&writer, kind, write_much, NULL), true);
        read_much();
        EXPECT_EQ(kind_join(&writer), true);
        EXPECT_EQ(memcmp(came, sent, BYTES), 0);
        close_pipe();
    }
}

TEST_IN_EACH_KIND(Win32PipeOfTwoProcesses, a_read_with_nowait_does_not)
{
    DWORD mode = PIPE_READMODE_BYTE | PIPE_NOWAIT, count = 0;
    char byte;

    open_pipe(PIPE_TYPE_BYTE);
    EXPECT_OK(SetNamedPipeHandleState(client, &mode, NULL, NULL));
    EXPECT_FAILS(ReadFile(client, &byte, 1, &count, NULL), ERROR_NO_DATA);
    close_pipe();
}
