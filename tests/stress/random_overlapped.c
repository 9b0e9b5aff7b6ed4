/* SPDX-License-Identifier: MIT
 *
 * random_overlapped.c - operations on FIFOs and on a file on a disk that are begun, fed, cancelled
 * and closed at random. Checked: each comes through the port once, and each byte of a FIFO is read
 * once.
 *
 * UMSSHIM_STRESS_OPERATIONS is how many; a million in some ten seconds, with UMSSHIM_TEST_LIMIT=0.
 */
#include <windows.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events.h"
#include "gtest_c.h"
#include "tally.h"

enum { ISSUERS = 3, TAKERS = 2, AT_ONCE = 32, OPERATIONS = 100000, FILE_BYTES = 1 << 20 };

struct tracked {
    OVERLAPPED overlapped; /* first */
    LONG seen;
    LONG *in_flight; /* of its issuer */
    LONG64 *read;    /* bytes that came out of its FIFO; NULL: of the disk */
    char bytes[64];
};

struct issuer {
    unsigned state;
    HANDLE thread, in, disk;
    int out;
    LONG in_flight;
    LONG64 read, written;
    LONG begun, cancelled, closed;
};

static HANDLE port;
static LONG per_issuer, taken, aborted, doubled, wrong;
static char folder[] = "/tmp/ums-overlapped-XXXXXX";

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 12) % limit;
}

static void take_packet(const OVERLAPPED_ENTRY *entry)
{
    struct tracked *one = (struct tracked *)entry->lpOverlapped;
    DWORD error = 0;
    DWORD count = 0;

    if (InterlockedExchange(&one->seen, 1))
        InterlockedIncrement(&doubled);
    if (!HasOverlappedIoCompleted(&one->overlapped))
        InterlockedIncrement(&wrong);
    if (!GetOverlappedResult(port, &one->overlapped, &count, FALSE))
        error = GetLastError();
    if (error == ERROR_OPERATION_ABORTED)
        InterlockedIncrement(&aborted);
    else if (error || count != entry->dwNumberOfBytesTransferred)
        InterlockedIncrement(&wrong);
    if (one->read)
        InterlockedExchangeAdd64(one->read, count);
    LONG *in_flight = one->in_flight;
    free(one);
    InterlockedIncrement(&taken);
    InterlockedDecrement(in_flight);
}

static DWORD WINAPI take(LPVOID unused)
{
    OVERLAPPED_ENTRY entries[16];
    ULONG count;

    while (GetQueuedCompletionStatusEx(port, entries, 16, &count, INFINITE, FALSE))
        for (ULONG i = 0; i < count; i++) {
            if (!entries[i].lpOverlapped)
                return 0;
            take_packet(&entries[i]);
        }
    return 1;
}

static void open_fifo(struct issuer *self)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%p", folder, (void *)self);
    unlink(path);
    EXPECT_EQ(mkfifo(path, 0600), 0);
    self->out = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    EXPECT_GE(self->out, 0);
    self->in = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, FILE_FLAG_OVERLAPPED, NULL);
    EXPECT_NE(self->in, INVALID_HANDLE_VALUE);
    EXPECT_NE(CreateIoCompletionPort(self->in, port, 1, 0), NULL);
}

/* What was written and not read goes with it. */
static void close_fifo(struct issuer *self)
{
    char rest[256];

    EXPECT_OK(CloseHandle(self->in));
    while (InterlockedExchangeAdd(&self->in_flight, 0)) /* its own operations, aborted now */
        SwitchToThread();
    for (ssize_t got; (got = read(self->out, rest, sizeof rest)) > 0;)
        self->read += got;
    close(self->out);
    self->closed++;
}

static void begin(struct issuer *self, struct tracked **last)
{
    struct tracked *one = calloc(1, sizeof *one);
    bool disk = draw(&self->state, 4) == 0;

    one->in_flight = &self->in_flight;
    one->read = disk ? NULL : &self->read;
    one->overlapped.Offset = disk ? draw(&self->state, FILE_BYTES - 64) : 0;
    *last = disk ? NULL : one; /* only compared with by now */
    self->begun++;
    InterlockedIncrement(&self->in_flight);
    BOOL done = ReadFile(disk ? self->disk : self->in, one->bytes, 1 + draw(&self->state, 63), NULL,
                         &one->overlapped);
    if (!done && GetLastError() != ERROR_IO_PENDING)
        InterlockedIncrement(&wrong);
}

static DWORD WINAPI issue(LPVOID arg)
{
    static const char feed[256];
    struct issuer *self = arg;
    struct tracked *last = NULL;

    open_fifo(self);
    while (self->begun < per_issuer) {
        unsigned what = draw(&self->state, 100);

        if (what < 55) {
            if (InterlockedExchangeAdd(&self->in_flight, 0) < AT_ONCE)
                begin(self, &last);
            else
                what = 60;
        }
        if (what >= 55 && what < 85) {
            ssize_t put = write(self->out, feed, 1 + draw(&self->state, sizeof feed - 1));
            self->written += put > 0 ? put : 0;
        } else if (what >= 85 && what < 95) {
            self->cancelled += CancelIoEx(self->in, last ? &last->overlapped : NULL);
        } else if (what == 95) {
            self->cancelled += CancelIoEx(self->in, NULL);
        } else if (what == 96 && draw(&self->state, 16) == 0) {
            close_fifo(self);
            open_fifo(self);
        }
    }
    close_fifo(self);
    return 0;
}

static HANDLE new_disk_file(void)
{
    char path[64];

    snprintf(path, sizeof path, "%s/disk", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(ftruncate(fd, FILE_BYTES), 0);
    close(fd);
    HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                              FILE_FLAG_OVERLAPPED, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_NE(CreateIoCompletionPort(file, port, 2, 0), NULL);
    unlink(path);
    return file;
}

TEST(RandomOverlapped, each_once)
{
    const char *text = getenv("UMSSHIM_STRESS_OPERATIONS");
    struct issuer issuers[ISSUERS];
    HANDLE takers[TAKERS];
    LONG begun = 0;

    per_issuer = (text ? atoi(text) : OPERATIONS) / ISSUERS;
    ASSERT_NE(mkdtemp(folder), NULL);
    port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    ASSERT_NE(port, NULL);
    HANDLE disk = new_disk_file();
    for (int i = 0; i < TAKERS; i++)
        takers[i] = CreateThread(NULL, 0, take, NULL, 0, NULL);
    for (int i = 0; i < ISSUERS; i++) {
        issuers[i] = (struct issuer){.state = tc_seed() + (unsigned)i, .disk = disk};
        issuers[i].thread = CreateThread(NULL, 0, issue, &issuers[i], 0, NULL);
    }
    for (int i = 0; i < ISSUERS; i++) {
        EXPECT_EQ(WaitForSingleObject(issuers[i].thread, INFINITE), WAIT_OBJECT_0);
        EXPECT_EQ(issuers[i].read, issuers[i].written);
        EXPECT_GT(issuers[i].cancelled, 0);
        EXPECT_OK(CloseHandle(issuers[i].thread));
        begun += issuers[i].begun;
    }
    for (int i = 0; i < TAKERS; i++)
        EXPECT_OK(PostQueuedCompletionStatus(port, 0, 0, NULL));
    for (int i = 0; i < TAKERS; i++) {
        EXPECT_SIGNALLED(takers[i]);
        EXPECT_OK(CloseHandle(takers[i]));
    }
    EXPECT_EQ(taken, begun);
    EXPECT_EQ(doubled, 0);
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(aborted, 0);
    tally_add(TALLY_OVERLAPPED, taken);
    tally_say();
    EXPECT_OK(CloseHandle(disk));
    EXPECT_OK(CloseHandle(port));
    char path[64];
    for (int i = 0; i < ISSUERS; i++) {
        snprintf(path, sizeof path, "%s/%p", folder, (void *)&issuers[i]);
        unlink(path);
    }
    rmdir(folder);
}
