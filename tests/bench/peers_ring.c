/* SPDX-License-Identifier: MIT
 *
 * peers_ring.c - the same reads of a file by the kernel's ring.
 */
#include "probes_peers.h"

#include "disk_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

struct reader {
    struct io_uring ring;
    struct disk_reads reads;
    uint64_t begun;
    int fd;
};

static void begin(struct reader *reader, unsigned slot)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(&reader->ring);
    off_t offset = (off_t)reader->reads.next[reader->begun++] * DISK_BLOCK;

    io_uring_prep_read(entry, reader->fd, reader->reads.buffers[slot], DISK_BLOCK, (__u64)offset);
    io_uring_sqe_set_data(entry, reader->reads.buffers[slot]);
}

static void read_all(struct reader *reader)
{
    struct io_uring_cqe *entry;

    for (unsigned slot = 0; slot < DISK_DEPTH && reader->begun < reader->reads.count; slot++)
        begin(reader, slot);
    for (uint64_t done = 0; done < reader->reads.count;) {
        int error = io_uring_submit_and_wait(&reader->ring, 1);

        if (error < 0)
            bench_fail("io_uring_submit_and_wait", -error);
        for (; !io_uring_peek_cqe(&reader->ring, &entry); done++) {
            char(*buffer)[DISK_BLOCK] = io_uring_cqe_get_data(entry);

            if (entry->res != DISK_BLOCK)
                bench_fail("a read is short", entry->res < 0 ? -entry->res : 0);
            io_uring_cqe_seen(&reader->ring, entry);
            if (reader->begun < reader->reads.count)
                begin(reader, (unsigned)(buffer - reader->reads.buffers));
        }
    }
}

static void measure(const struct bench_scale *scale, bool cached)
{
    static struct reader reader;
    unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    int error;

    disk_reads_begin(&reader.reads, scale, cached);
    error = io_uring_queue_init(2 * DISK_DEPTH, &reader.ring, flags);
    if (error == -EINVAL) /* before Linux 6.1 */
        error = io_uring_queue_init(2 * DISK_DEPTH, &reader.ring, 0);
    if (error == -ENOSYS || error == -EPERM || error == -EACCES) { /* as in many a container */
        unlink(reader.reads.path);
        return;
    }
    if (error)
        bench_fail("io_uring_queue_init", -error);
    reader.fd = open(reader.reads.path, O_RDONLY | O_CLOEXEC);
    if (reader.fd < 0)
        bench_fail("open", errno);
    read_all(&reader);
    disk_reads_end(&reader.reads);
}

void peer_read_cached(const struct bench_scale *scale)
{
    measure(scale, true);
}

void peer_read_uncached(const struct bench_scale *scale)
{
    measure(scale, false);
}
