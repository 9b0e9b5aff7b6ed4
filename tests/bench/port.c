/* SPDX-License-Identifier: MIT
 *
 * port.c - overlapped reads of a file through a completion port, 32 of them under way.
 */
#include "probes_ums.h"

#include "disk_reads.h"

#include <windows.h>

struct reader {
    HANDLE file, port;
    OVERLAPPED overlapped[DISK_DEPTH];
    struct disk_reads reads;
    uint64_t begun;
};

static void begin(struct reader *reader, unsigned slot)
{
    OVERLAPPED *overlapped = &reader->overlapped[slot];

    *overlapped = (OVERLAPPED){.Offset = reader->reads.next[reader->begun++] * DISK_BLOCK};
    if (!ReadFile(reader->file, reader->reads.buffers[slot], DISK_BLOCK, NULL, overlapped) &&
        GetLastError() != ERROR_IO_PENDING)
        bench_fail("ReadFile", 0);
}

static void read_all(struct reader *reader)
{
    OVERLAPPED_ENTRY entries[DISK_DEPTH];
    ULONG count;

    for (unsigned slot = 0; slot < DISK_DEPTH && reader->begun < reader->reads.count; slot++)
        begin(reader, slot);
    for (uint64_t done = 0; done < reader->reads.count; done += count) {
        if (!GetQueuedCompletionStatusEx(reader->port, entries, DISK_DEPTH, &count, INFINITE,
                                         FALSE))
            bench_fail("GetQueuedCompletionStatusEx", 0);
        for (ULONG i = 0; i < count; i++) {
            if (entries[i].dwNumberOfBytesTransferred != DISK_BLOCK)
                bench_fail("a read is short", 0);
            if (reader->begun < reader->reads.count)
                begin(reader, (unsigned)(entries[i].lpOverlapped - reader->overlapped));
        }
    }
}

static void measure(const struct bench_scale *scale, bool cached)
{
    static struct reader reader;

    disk_reads_begin(&reader.reads, scale, cached);
    reader.file = CreateFileA(reader.reads.path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                              FILE_FLAG_OVERLAPPED, NULL);
    reader.port = CreateIoCompletionPort(reader.file, NULL, 0, 0);
    if (!reader.port)
        bench_fail("CreateIoCompletionPort", 0);
    read_all(&reader);
    disk_reads_end(&reader.reads);
}

void probe_read_cached(const struct bench_scale *scale)
{
    measure(scale, true);
}

void probe_read_uncached(const struct bench_scale *scale)
{
    measure(scale, false);
}
