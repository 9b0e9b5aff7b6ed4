/* SPDX-License-Identifier: MIT
 *
 * disk_reads.h - a file, and in what order its blocks are read: the same for a port and for the
 * kernel's ring.
 */
#ifndef UMSSHIM_TESTS_BENCH_DISK_READS_H
#define UMSSHIM_TESTS_BENCH_DISK_READS_H

#include "bench.h"

enum { DISK_BLOCK = 4096, DISK_DEPTH = 32 };

struct disk_reads {
    char path[64];
    uint64_t count;       /* reads */
    const unsigned *next; /* block of each */
    char (*buffers)[DISK_BLOCK];
    uint64_t start_ns;
};

/* Makes the file, and takes the time from its end on. `cached`: random blocks that are in the page
 * cache; else each block once, of a file that is not. */
void disk_reads_begin(struct disk_reads *reads, const struct bench_scale *scale, bool cached);
/* Tells how long each took, and removes the file. */
void disk_reads_end(struct disk_reads *reads);

#endif
