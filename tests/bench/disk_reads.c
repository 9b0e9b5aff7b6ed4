/* SPDX-License-Identifier: MIT
 *
 * disk_reads.c - see disk_reads.h.
 */
#include "disk_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BLOCKS = 4096, CALLS_FOR_EACH = 200 };

static void make_file(struct disk_reads *reads, unsigned blocks, bool cached)
{
    static char block[DISK_BLOCK];
    int fd;

    strcpy(reads->path, "/var/tmp/ums-bench-XXXXXX");
    fd = mkstemp(reads->path);
    if (fd < 0)
        bench_fail("mkstemp", errno);
    for (unsigned i = 0; i < blocks; i++) {
        memset(block, (int)i, sizeof block);
        if (write(fd, block, sizeof block) != sizeof block)
            bench_fail("write", errno);
    }
    if (!cached && (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)))
        bench_fail("fsync", errno);
    close(fd);
}

static const unsigned *random_order(unsigned blocks, uint64_t count)
{
    unsigned *order = malloc(count * sizeof *order);
    uint64_t state = 20261126;

    if (!order)
        bench_fail("malloc", errno);
    for (uint64_t i = 0; i < count; i++)
        order[i] = (unsigned)(i % blocks);
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t other = bench_random(&state) % (i + 1);
        unsigned block = order[i];

        order[i] = order[other];
        order[other] = block;
    }
    return order;
}

void disk_reads_begin(struct disk_reads *reads, const struct bench_scale *scale, bool cached)
{
    unsigned blocks = (unsigned)(scale->calls / CALLS_FOR_EACH);

    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    reads->count = cached ? scale->calls / 10 : blocks;
    reads->next = random_order(blocks, reads->count);
    reads->buffers = aligned_alloc(DISK_BLOCK, (size_t)DISK_DEPTH * DISK_BLOCK);
    if (!reads->buffers)
        bench_fail("aligned_alloc", errno);
    memset(reads->buffers, 0, (size_t)DISK_DEPTH * DISK_BLOCK);
    make_file(reads, blocks, cached);
    reads->start_ns = bench_now_ns();
}

void disk_reads_end(struct disk_reads *reads)
{
    bench_emit("each", (double)(bench_now_ns() - reads->start_ns) / (double)reads->count);
    unlink(reads->path);
}
