/* SPDX-License-Identifier: MIT
 *
 * overlapped_operations.c - operations on a FIFO that have to wait: their order, and every way in
 * which one may end. Reads of a file on a disk, of which some need not wait.
 *
 * modes: default, UMSSHIM_RING=0
 */
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"

enum { READS = 8, KEY = 5 };

struct fifo {
    HANDLE in;
    int out;
};

static struct fifo new_fifo(void)
{
    char folder[] = "/tmp/ums-fifo-XXXXXX";
    char path[64];
    struct fifo fifo;

    EXPECT_NE(mkdtemp(folder), NULL);
    snprintf(path, sizeof path, "%s/fifo", folder);
    EXPECT_EQ(mkfifo(path, 0600), 0);
    fifo.out = open(path, O_RDWR | O_CLOEXEC);
    EXPECT_GE(fifo.out, 0);
    fifo.in = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, FILE_FLAG_OVERLAPPED, NULL);
    EXPECT_NE(fifo.in, INVALID_HANDLE_VALUE);
    unlink(path);
    rmdir(folder);
    return fifo;
}

static void expect_pending(const struct fifo *fifo, char *byte, OVERLAPPED *at)
{
    EXPECT_FAILS(ReadFile(fifo->in, byte, 1, NULL, at), ERROR_IO_PENDING);
    EXPECT_EQ(HasOverlappedIoCompleted(at), 0);
}

/* Reads that wait get the bytes in the order in which they were begun. */
TEST_IN_EACH_KIND(OverlappedOperations, in_their_order)
{
    struct fifo fifo = new_fifo();
    OVERLAPPED at[READS];
    char bytes[READS] = "";
    DWORD count = 0;

    for (int i = 0; i < READS; i++) {
        at[i] = (OVERLAPPED){.hEvent = new_manual_event()};
        expect_pending(&fifo, &bytes[i], &at[i]);
    }
    EXPECT_FAILS(GetOverlappedResult(fifo.in, &at[0], &count, FALSE), ERROR_IO_INCOMPLETE);
    EXPECT_EQ(write(fifo.out, "abcdefgh", READS), READS);
    for (int i = 0; i < READS; i++) {
        EXPECT_SIGNALLED(at[i].hEvent);
        EXPECT_OK(GetOverlappedResult(fifo.in, &at[i], &count, TRUE));
        EXPECT_EQ(count, 1);
        EXPECT_EQ(bytes[i], 'a' + i);
        EXPECT_OK(CloseHandle(at[i].hEvent));
    }
    EXPECT_OK(CloseHandle(fifo.in));
    close(fifo.out);
}

TEST_IN_EACH_KIND(OverlappedOperations, cancelled)
{
    struct fifo fifo = new_fifo();
    OVERLAPPED at[3];
    char bytes[3] = "";
    DWORD count = 77;
    HANDLE port = CreateIoCompletionPort(fifo.in, NULL, KEY, 0);

    ASSERT_NE(port, NULL);
    for (int i = 0; i < 3; i++) {
        at[i] = (OVERLAPPED){.hEvent = new_manual_event()};
        expect_pending(&fifo, &bytes[i], &at[i]);
    }
    EXPECT_OK(CancelIoEx(fifo.in, &at[1])); /* waits for the first one */
    EXPECT_SIGNALLED(at[1].hEvent);
    EXPECT_FAILS(GetOverlappedResult(fifo.in, &at[1], &count, TRUE), ERROR_OPERATION_ABORTED);
    EXPECT_EQ(count, 0);
    EXPECT_FAILS(CancelIoEx(fifo.in, &at[1]), ERROR_NOT_FOUND);
    EXPECT_OK(CancelIoEx(fifo.in, &at[0])); /* waits for a byte */
    EXPECT_SIGNALLED(at[0].hEvent);
    EXPECT_FAILS(GetOverlappedResult(fifo.in, &at[0], &count, TRUE), ERROR_OPERATION_ABORTED);
    EXPECT_EQ(write(fifo.out, "x", 1), 1);
    EXPECT_SIGNALLED(at[2].hEvent);
    EXPECT_EQ(bytes[2], 'x');
    for (int i = 0; i < 3; i++) {
        static const int order[] = {1, 0, 2};
        ULONG_PTR key = 0;
        LPOVERLAPPED which = NULL;
        BOOL good = GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS);
        DWORD error = GetLastError();

        EXPECT_EQ(which, &at[order[i]]);
        EXPECT_EQ(key, KEY);
        EXPECT_EQ(good, i == 2);
        if (!good)
            EXPECT_EQ(error, ERROR_OPERATION_ABORTED);
        EXPECT_OK(CloseHandle(at[order[i]].hEvent));
    }
    EXPECT_OK(CloseHandle(fifo.in));
    EXPECT_OK(CloseHandle(port));
    close(fifo.out);
}

/* The end of the file's last handle ends what waits. */
TEST_IN_EACH_KIND(OverlappedOperations, closed)
{
    struct fifo fifo = new_fifo();
    HANDLE port = CreateIoCompletionPort(fifo.in, NULL, KEY, 0);
    OVERLAPPED at[READS];
    char bytes[READS] = "";
    unsigned seen = 0;

    ASSERT_NE(port, NULL);
    for (int i = 0; i < READS; i++) {
        at[i] = (OVERLAPPED){.hEvent = NULL};
        expect_pending(&fifo, &bytes[i], &at[i]);
    }
    EXPECT_OK(CloseHandle(fifo.in));
    for (int i = 0; i < READS; i++) {
        DWORD count = 77;
        ULONG_PTR key = 0;
        LPOVERLAPPED which = NULL;

        EXPECT_FAILS(GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS),
                     ERROR_OPERATION_ABORTED);
        ASSERT_GE(which, at);
        ASSERT_LT(which, at + READS);
        seen |= 1u << (which - at);
    }
    EXPECT_EQ(seen, (1u << READS) - 1);
    EXPECT_OK(CloseHandle(port));
    close(fifo.out);
}

static void read_one(void *arg)
{
    OVERLAPPED *at = arg;
    char *byte = (char *)(at + 1);

    EXPECT_FAILS(ReadFile(*(HANDLE *)(at + 2), byte, 1, NULL, at), ERROR_IO_PENDING);
}

/* CancelIo means the calling thread's own. */
TEST(OverlappedOperations, of_one_thread)
{
    struct fifo fifo = new_fifo();
    OVERLAPPED box[3] = {{.hEvent = new_manual_event()}};
    OVERLAPPED own = {.hEvent = new_manual_event()};
    char byte = 0;
    DWORD count = 0;
    struct kind_thread other;

    *(HANDLE *)(box + 2) = fifo.in;
    ASSERT_NE(kind_start(&other, KIND_PLAIN, read_one, box), 0);
    ASSERT_NE(kind_join(&other), 0);
    expect_pending(&fifo, &byte, &own);
    EXPECT_OK(CancelIo(fifo.in));
    EXPECT_SIGNALLED(own.hEvent);
    EXPECT_FAILS(GetOverlappedResult(fifo.in, &own, &count, TRUE), ERROR_OPERATION_ABORTED);
    EXPECT_EQ(HasOverlappedIoCompleted(&box[0]), 0);
    EXPECT_OK(CancelIoEx(fifo.in, NULL));
    EXPECT_SIGNALLED(box[0].hEvent);
    EXPECT_OK(CloseHandle(own.hEvent));
    EXPECT_OK(CloseHandle(box[0].hEvent));
    EXPECT_OK(CloseHandle(fifo.in));
    close(fifo.out);
}

/* Nobody has an event, and the file's signal is any operation's: the wait is for this one. */
static void wait_for_it(void *arg)
{
    OVERLAPPED *at = arg;
    DWORD count = 0;

    EXPECT_OK(GetOverlappedResult(*(HANDLE *)(at + 1), at, &count, TRUE));
    EXPECT_EQ(count, 1);
}

static struct fifo waited_for;

static void let_it_go(void *unused)
{
    EXPECT_EQ(write(waited_for.out, "ab", 2), 2);
}

static void wait_in(enum kind kind)
{
    OVERLAPPED box[3] = {{.hEvent = NULL}};
    OVERLAPPED first = {.hEvent = NULL};
    char bytes[2];

    waited_for = new_fifo();
    *(HANDLE *)(box + 1) = waited_for.in;
    expect_pending(&waited_for, &bytes[0], &first);
    expect_pending(&waited_for, &bytes[1], &box[0]);
    on_kind(kind, wait_for_it, let_it_go, box);
    EXPECT_EQ(bytes[1], 'b');
    EXPECT_OK(CloseHandle(waited_for.in));
    close(waited_for.out);
}

TEST(OverlappedOperations, waited_for)
{
    for (int kind = 0; kind < KINDS; kind++)
        wait_in((enum kind)kind);
}

/* ---- A file on a disk ------------------------------------------------------------------------ */

enum { BLOCK = 4096, BLOCKS = 48 };
enum telling { BY_EVENT, BY_PORT, BY_PROCEDURE, TELLINGS };

static HANDLE new_disk_file(bool cached)
{
    char path[] = "/var/tmp/ums-blocks-XXXXXX", block[BLOCK];
    int fd = mkstemp(path);

    EXPECT_GE(fd, 0);
    for (int i = 0; i < BLOCKS; i++) {
        memset(block, i + 1, sizeof block);
        EXPECT_EQ(write(fd, block, sizeof block), BLOCK);
    }
    if (!cached) {
        EXPECT_EQ(fsync(fd), 0);
        posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    }
    close(fd);
    HANDLE file = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING,
                              FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    unlink(path);
    return file;
}

struct block_read {
    OVERLAPPED at; /* first: the operation's */
    unsigned told;
    DWORD error, count;
    char bytes[BLOCK];
};

static VOID CALLBACK block_is_read(DWORD error, DWORD count, LPOVERLAPPED at)
{
    struct block_read *read = (struct block_read *)at;

    read->error = error;
    read->count = count;
    read->told++;
}

/* Begins the reads of all blocks, the last one first, and one behind the file's end. */
static void begin_reads(HANDLE file, struct block_read *reads, enum telling telling)
{
    for (int i = BLOCKS; i >= 0; i--) {
        struct block_read *read = &reads[i];
        BOOL done;

        *read = (struct block_read){.at.Offset = (DWORD)i * BLOCK};
        if (telling == BY_EVENT)
            read->at.hEvent = new_manual_event();
        if (telling == BY_PROCEDURE)
            done = ReadFileEx(file, read->bytes, BLOCK, &read->at, block_is_read);
        else
            done = ReadFile(file, read->bytes, BLOCK, NULL, &read->at);
        if (done || GetLastError() == ERROR_IO_PENDING)
            continue;
        EXPECT_EQ(i, BLOCKS); /* a call that fails at once tells of nothing more */
        EXPECT_EQ(GetLastError(), ERROR_HANDLE_EOF);
        block_is_read(ERROR_HANDLE_EOF, 0, &read->at);
        if (read->at.hEvent)
            EXPECT_OK(SetEvent(read->at.hEvent));
    }
}

static void see_through(HANDLE file, HANDLE port, struct block_read *reads, enum telling telling)
{
    for (int left = BLOCKS + 1; left--;) {
        struct block_read *read = &reads[left];
        DWORD count = 77;
        ULONG_PTR key;
        LPOVERLAPPED which = &read->at;

        if (telling == BY_PROCEDURE) {
            while (!read->told && SleepEx(MEANWHILE_MS, TRUE) == WAIT_IO_COMPLETION)
                continue;
        } else if (telling == BY_EVENT) {
            EXPECT_SIGNALLED(read->at.hEvent);
            if (!read->told) {
                BOOL good = GetOverlappedResult(file, which, &count, FALSE);

                block_is_read(good ? 0 : GetLastError(), count, which);
            }
            EXPECT_OK(CloseHandle(read->at.hEvent));
        } else if (left < BLOCKS || !read->told) {
            BOOL good = GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS);

            ASSERT_NE(which, NULL);
            EXPECT_EQ(key, KEY);
            block_is_read(good ? 0 : GetLastError(), count, which);
        }
    }
}

static void read_blocks(enum telling telling, bool cached)
{
    static struct block_read reads[BLOCKS + 1];
    HANDLE file = new_disk_file(cached);
    HANDLE port = telling == BY_PORT ? CreateIoCompletionPort(file, NULL, KEY, 0) : NULL;

    begin_reads(file, reads, telling);
    see_through(file, port, reads, telling);
    for (int i = 0; i <= BLOCKS; i++) {
        EXPECT_EQ(reads[i].told, 1);
        EXPECT_EQ(reads[i].error, i < BLOCKS ? ERROR_SUCCESS : ERROR_HANDLE_EOF);
        EXPECT_EQ(reads[i].bytes[BLOCK - 1], i < BLOCKS ? i + 1 : 0);
        if (i < BLOCKS)
            EXPECT_EQ(reads[i].count, BLOCK);
    }
    EXPECT_EQ(SleepEx(0, TRUE), 0);
    if (port)
        EXPECT_OK(CloseHandle(port));
    EXPECT_OK(CloseHandle(file));
}

/* Each read is told of once, whether its bytes are in memory, on the disk, or behind the end. */
TEST_IN_EACH_KIND(OverlappedOperations, of_a_file_on_a_disk)
{
    for (int telling = 0; telling < TELLINGS; telling++)
        for (int cached = 0; cached < 2; cached++)
            read_blocks((enum telling)telling, cached);
}

/* ---- In a child ------------------------------------------------------------------------------ */

/* A child has none of the parent's operations, and may have its own. */
TEST(OverlappedOperations, after_fork)
{
    struct fifo fifo = new_fifo();
    OVERLAPPED at = {.hEvent = new_manual_event()};
    char byte = 0;

    expect_pending(&fifo, &byte, &at);
    pid_t child = fork();
    if (!child) {
        struct fifo own = new_fifo();
        OVERLAPPED other = {.hEvent = new_manual_event()};
        DWORD count = 0;
        bool good = !CancelIoEx(fifo.in, NULL) && GetLastError() == ERROR_NOT_FOUND;

        good = good && !ReadFile(own.in, &byte, 1, NULL, &other) &&
               GetLastError() == ERROR_IO_PENDING && write(own.out, "c", 1) == 1 &&
               WaitForSingleObject(other.hEvent, MEANWHILE_MS) == WAIT_OBJECT_0 &&
               GetOverlappedResult(own.in, &other, &count, FALSE) && byte == 'c';
        _exit(good ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(HasOverlappedIoCompleted(&at), 0);
    EXPECT_EQ(write(fifo.out, "p", 1), 1);
    EXPECT_SIGNALLED(at.hEvent);
    EXPECT_EQ(byte, 'p');
    EXPECT_OK(CloseHandle(at.hEvent));
    EXPECT_OK(CloseHandle(fifo.in));
    close(fifo.out);
}
