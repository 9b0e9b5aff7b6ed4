/* SPDX-License-Identifier: MIT
 *
 * short_ring.h - io_uring for tests: one request at a time, waited for by libc's `syscall` or by a bare call.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SHORT_RING_H
#define UMSSHIM_TESTS_SUPPORT_SHORT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_uring_sqe;
struct io_uring_cqe;

struct short_ring {
    int fd;
    bool bare; /* waits by a `syscall` of its own, as liburing does; false after short_ring_open */
    void *queues;
    size_t bytes;
    struct io_uring_sqe *requests;
    uint32_t *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
    struct io_uring_cqe *answers;
};

/* False: with errno. */
bool short_ring_open(struct short_ring *ring);
void short_ring_close(struct short_ring *ring);
/* The request's result, once it is over; or -errno of the call. */
int short_ring_read(struct short_ring *ring, int fd, void *to, unsigned bytes);
int short_ring_sleep(struct short_ring *ring, long nanoseconds); /* -ETIME */

#endif
