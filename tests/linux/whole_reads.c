/* SPDX-License-Identifier: MIT
 *
 * whole_reads.c - an overlapped read of a file on a disk of which only the beginning is in the page
 * cache: it is short at the file's end only.
 *
 * modes: default, UMSSHIM_RING=0
 */
#include <windows.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gtest_c.h"
#include "kinds.h"

enum { BLOCK = 4096, BLOCKS = 64, ALL = BLOCK * BLOCKS, TAIL = 100, ROUNDS = 10 };
enum telling { BY_EVENT, BY_PORT, BY_PROCEDURE, TELLINGS };

static char bytes[ALL + BLOCK];
static DWORD told;

static char byte_at(int at)
{
    return (char)(at / BLOCK + 1);
}

/* A file of ALL + TAIL bytes with its first blocks in the page cache. */
static HANDLE half_cached(void)
{
    char path[] = "/var/tmp/ums-whole-XXXXXX";
    int fd = mkstemp(path);
    HANDLE file;

    EXPECT_GE(fd, 0);
    for (int at = 0; at < ALL + TAIL; at++)
        bytes[at] = byte_at(at);
    EXPECT_EQ(write(fd, bytes, ALL + TAIL), ALL + TAIL);
    EXPECT_EQ(fsync(fd), 0);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    EXPECT_EQ(pread(fd, bytes, 2 * BLOCK, 0), 2 * BLOCK);
    close(fd);
    file = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    unlink(path);
    memset(bytes, 0, sizeof bytes);
    return file;
}

static VOID CALLBACK is_read(DWORD error, DWORD count, LPOVERLAPPED at)
{
    EXPECT_EQ(error, (DWORD)ERROR_SUCCESS);
    told = count;
}

static DWORD read_by(enum telling telling, HANDLE file, DWORD offset, DWORD count)
{
    HANDLE event = telling == BY_EVENT ? CreateEventA(NULL, TRUE, FALSE, NULL) : NULL;
    HANDLE port = telling == BY_PORT ? CreateIoCompletionPort(file, NULL, 1, 0) : NULL;
    OVERLAPPED at = {.Offset = offset, .hEvent = event}, *of = NULL;
    DWORD got = 0;
    ULONG_PTR key;

    if (telling == BY_PROCEDURE) {
        EXPECT_OK(ReadFileEx(file, bytes, count, &at, is_read));
        EXPECT_EQ(SleepEx(10000, TRUE), (DWORD)WAIT_IO_COMPLETION);
        return told;
    }
    EXPECT_EQ(ReadFile(file, bytes, count, NULL, &at) || GetLastError() == ERROR_IO_PENDING, TRUE);
    if (telling == BY_PORT)
        EXPECT_OK(GetQueuedCompletionStatus(port, &got, &key, &of, 10000));
    else
        EXPECT_EQ(WaitForSingleObject(event, 10000), (DWORD)WAIT_OBJECT_0);
    EXPECT_OK(GetOverlappedResult(file, &at, &got, FALSE));
    if (event)
        CloseHandle(event);
    if (port)
        CloseHandle(port);
    return got;
}

TEST_IN_EACH_KIND(WholeReads, are_short_at_the_files_end_only)
{
    for (int telling = 0; telling < TELLINGS; telling++) {
        for (int round = 0; round < ROUNDS; round++) {
            HANDLE file = half_cached();
            DWORD got = read_by((enum telling)telling, file, 0, ALL);

            EXPECT_EQ(got, (DWORD)ALL);
            for (int at = 0; at < (int)got; at += BLOCK / 2)
                EXPECT_EQ(bytes[at], byte_at(at));
            CloseHandle(file);
            file = half_cached();
            EXPECT_EQ(read_by((enum telling)telling, file, BLOCK, sizeof bytes - BLOCK),
                      (DWORD)(ALL + TAIL - BLOCK)); /* to the end */
            EXPECT_EQ(bytes[ALL - BLOCK + TAIL - 1], byte_at(ALL));
            CloseHandle(file);
        }
    }
}
