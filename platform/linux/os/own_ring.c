/* SPDX-License-Identifier: MIT
 *
 * own_ring.c - see own_ring.h.
 */
#include <errno.h>
#include <liburing.h>
#include <stddef.h>

#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_ring.h"

enum { REQUESTS = 256, ANSWERS = 4096 };

/* Before Linux 6.1 a ring knows no flag by which only one thread may enter it. 0, or -errno. */
static int make(struct io_uring *ring, struct io_uring_params *params)
{
    static const unsigned flavours[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
    int error = -EINVAL;
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours && error == -EINVAL; i++) {
        *params = (struct io_uring_params){.flags = flavours[i] | IORING_SETUP_CQSIZE,
                                           .cq_entries = ANSWERS};
        error = io_uring_queue_init_params(REQUESTS, ring, params);
    }
    return error;
}

/* Whether the ring works: a sandbox may allow to make a ring and refuse to enter it. */
static bool answers(struct io_uring *ring)
{
    struct io_uring_cqe *answer;
    io_uring_prep_nop(io_uring_get_sqe(ring));
    bool one = io_uring_submit_and_wait(ring, 1) == 1 && io_uring_peek_cqe(ring, &answer) == 0;
    if (one)
        io_uring_cqe_seen(ring, answer);
    return one;
}

static void move_high(struct io_uring *ring)
{
    int high = fd_move_high(ring->ring_fd);
    if (ring->enter_ring_fd == ring->ring_fd) /* else the ring is registered, and has no number */
        ring->enter_ring_fd = high;
    ring->ring_fd = high;
}

bool own_ring_make(struct io_uring *ring)
{
    struct io_uring_params params;
    if (make(ring, &params))
        return false;
    if (!(params.features & IORING_FEAT_NODROP) || !answers(ring)) {
        io_uring_queue_exit(ring);
        return false;
    }
    io_uring_ring_dontfork(ring);
    move_high(ring);
    return true;
}

void own_ring_forget(struct io_uring *ring)
{
    own_file_close(ring->ring_fd);
}
