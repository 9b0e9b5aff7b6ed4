/* SPDX-License-Identifier: MIT
 *
 * named_pipes.c - see named_pipes.h.
 */
#include "named_pipes.h"

#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

void pipe_new_name(char name[PIPE_NAME_ROOM])
{
    static LONG count;

    snprintf(name, PIPE_NAME_ROOM, "\\\\.\\pipe\\umsshim-test-%lu-%ld",
             (unsigned long)GetCurrentProcessId(), (long)InterlockedIncrement(&count));
}

HANDLE pipe_server(const char *name, DWORD flags, DWORD mode, DWORD most)
{
    HANDLE end =
        CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX | flags, mode, most, 4096, 8192, 0, NULL);

    EXPECT_OK(end != INVALID_HANDLE_VALUE);
    return end;
}

HANDLE pipe_client(const char *name, DWORD flags)
{
    return CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, flags, NULL);
}

BOOL pipe_pair(HANDLE ends[2], DWORD flags, DWORD mode)
{
    char name[PIPE_NAME_ROOM];

    pipe_new_name(name);
    ends[0] = pipe_server(name, flags, mode, 1);
    if (ends[0] == INVALID_HANDLE_VALUE)
        return FALSE;
    ends[1] = pipe_client(name, flags);
    if (EXPECT_OK(ends[1] != INVALID_HANDLE_VALUE))
        return TRUE;
    CloseHandle(ends[0]);
    return FALSE;
}

void pipe_close(HANDLE ends[2])
{
    EXPECT_OK(CloseHandle(ends[0]));
    EXPECT_OK(CloseHandle(ends[1]));
}

void pipe_read_messages(HANDLE end)
{
    DWORD mode = PIPE_READMODE_MESSAGE;

    EXPECT_OK(SetNamedPipeHandleState(end, &mode, NULL, NULL));
}

void pipe_write(HANDLE end, const char *text)
{
    DWORD count = 77, length = (DWORD)strlen(text);

    EXPECT_OK(WriteFile(end, text, length, &count, NULL));
    EXPECT_EQ(count, length);
}

void pipe_read(HANDLE end, const char *text)
{
    char buffer[32] = "";
    DWORD count = 77;

    EXPECT_OK(ReadFile(end, buffer, sizeof buffer - 1, &count, NULL));
    EXPECT_EQ(count, strlen(text));
    EXPECT_STREQ(buffer, text);
}
