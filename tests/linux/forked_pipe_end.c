/* SPDX-License-Identifier: MIT
 *
 * forked_pipe_end.c - a child after fork has its parent's end of a named pipe, while a thread of the
 * parent's reads a message there. The child's own call is not behind that thread's, and the child's
 * CloseHandle does not end the parent's connection.
 *
 * modes: default
 */
#include <windows.h>

#include "checks.h"
#include "gtest_c.h"
#include "in_call.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

static HANDLE server, client;

static void make_ends(void)
{
    char name[64];

    snprintf(name, sizeof name, "\\\\.\\pipe\\forked-pipe-end-%d", getpid());
    server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE,
                              1, 0, 0, 0, NULL);
    ASSERT_NE(server, INVALID_HANDLE_VALUE);
    client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
}

static DWORD WINAPI read_one(LPVOID text)
{
    DWORD count;

    return ReadFile(server, text, 8, &count, NULL) && count == 1 ? 0 : 1;
}

/* It has the turn of those that read, and waits in the kernel. */
static void await_its_wait(HANDLE thread)
{
    EXPECT_OK(is_in_call(GetThreadId(thread), SYS_recvmsg, LIMIT_MS));
}

/* The message is the child's if the parent's thread, which came first, is not faster. */
static int read_and_close(void)
{
    DWORD mode = PIPE_NOWAIT | PIPE_READMODE_MESSAGE, count;
    char text[8];

    if (!SetNamedPipeHandleState(server, &mode, NULL, NULL))
        return 1;
    if (ReadFile(server, text, sizeof text, &count, NULL) || GetLastError() != ERROR_NO_DATA)
        return 2;
    return CloseHandle(server) ? 0 : 3;
}

TEST(ForkedPipeEnd, is_the_childs_own)
{
    char text[8] = "";
    HANDLE thread;
    DWORD count, code = 1;
    int status = -1;
    pid_t child;

    make_ends();
    thread = CreateThread(NULL, 0, read_one, text, 0, NULL);
    await_its_wait(thread);
    child = fork();
    if (child == 0) {
        alarm(LIMIT_MS / 1000 / 2);
        _exit(read_and_close());
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_OK(WriteFile(client, "x", 1, &count, NULL));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code) && code == 0);
    EXPECT_STREQ(text, "x");
    CloseHandle(thread);
    CloseHandle(client);
    CloseHandle(server);
}
