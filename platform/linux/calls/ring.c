/* SPDX-License-Identifier: MIT
 *
 * ring.c - see ring.h.
 */
#include <liburing.h>
#include <errno.h>
#include <poll.h>

#include "platform/check.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/own_ring.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

struct ring {
    struct io_uring uring;
    uint16_t submissions;
};

/* A request's tag is its call's address, and above the bits of an address the number of the
 * submission. A linked time-out may fire while its request completes. The kernel cancels then any
 * request that has the tag, which must not be the next one of the same call. */
enum { TAG_ADDRESS_BITS = 48 };

static uint64_t tag_of(const struct call *call)
{
    return (uint64_t)(uintptr_t)call | (uint64_t)call->ring.submission << TAG_ADDRESS_BITS;
}

void ring_open(struct lane *lane)
{
    if (!engine_caps.ring)
        return;
    struct ring *ring = lane->ring = plat_reserve(sizeof *ring);
    lane->have_ring = ring && own_ring_make(&ring->uring);
    if (!lane->have_ring) {
        engine_caps.ring = false;
        return;
    }
    struct io_uring_probe *probe = io_uring_get_probe_ring(&ring->uring);
    engine_caps.ring_futex = probe && io_uring_opcode_supported(probe, RING_OP_FUTEX_WAIT);
    engine_caps.ring_waitid = probe && io_uring_opcode_supported(probe, RING_OP_WAITID);
    io_uring_free_probe(probe);
}

static struct io_uring_sqe *slot_of(struct lane *lane)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&lane->ring->uring);
    if (!sqe) {
        io_uring_submit(&lane->ring->uring);
        sqe = io_uring_get_sqe(&lane->ring->uring);
    }
    if (!sqe)
        UMS_FATAL("the ring takes no submission", lane->cpu, 0);
    return sqe;
}

void ring_watch_listener(struct lane *lane)
{
    struct io_uring_sqe *sqe = slot_of(lane);
    io_uring_prep_poll_add(sqe, lane->listener, POLLIN);
    sqe->user_data = RING_LISTENER;
}

void ring_watch_wake_fd(struct lane *lane)
{
    struct io_uring_sqe *sqe = slot_of(lane);
    io_uring_prep_read(sqe, lane->wake_fd, &lane->wake_count, sizeof lane->wake_count, 0);
    sqe->user_data = RING_WAKE;
}

bool ring_submit(struct lane *lane, struct call *call)
{
    const struct call_ops *ops = call->entry->ops;
    if (!lane->have_ring || engine_caps.sandboxed || !ops->submit)
        return false;
    /* A linked time-out must be submitted together with the request that it limits. */
    if (io_uring_sq_space_left(&lane->ring->uring) < 2)
        io_uring_submit(&lane->ring->uring);
    struct io_uring_sqe *sqe = slot_of(lane);
    unsigned tail = lane->ring->uring.sq.sqe_tail;
    if (!ops->submit(call, sqe)) {
        lane->ring->uring.sq.sqe_tail = tail - 1;
        return false;
    }
    call->ring.submission = ++lane->ring->submissions;
    sqe->user_data = tag_of(call);
    if (call->deadline != PLAT_FOREVER) {
        sqe->flags |= IOSQE_IO_LINK;
        call->timeout[0] = (int64_t)(call->deadline / 1000000000u);
        call->timeout[1] = (int64_t)(call->deadline % 1000000000u);
        sqe = slot_of(lane);
        io_uring_prep_link_timeout(sqe, (struct __kernel_timespec *)call->timeout,
                                   IORING_TIMEOUT_ABS |
                                       (call->realtime ? IORING_TIMEOUT_REALTIME : 0));
        sqe->user_data = RING_NOTHING;
    }
    return true;
}

void ring_cancel(struct lane *lane, struct call *call)
{
    struct io_uring_sqe *sqe = slot_of(lane);
    io_uring_prep_cancel64(sqe, tag_of(call), 0);
    sqe->user_data = RING_NOTHING;
}

/* Where the kernel lets the ring be entered no more, requests in flight are lost: nothing would end
 * their waits. */
static void entered(int result)
{
    if (UMS_UNLIKELY(call_was_refused(result)))
        UMS_FATAL("io_uring_enter is refused, by a sandbox that came after the first scheduler. "
                  "Set it up before, or start with UMSSHIM_RING=0",
                  (uintptr_t)-result, 0);
}

void ring_enter(struct lane *lane)
{
    entered(io_uring_submit(&lane->ring->uring));
}

void ring_enter_and_wait(struct lane *lane, uint64_t limit)
{
    struct __kernel_timespec time = {0, (long long)limit};
    struct io_uring_cqe *cqe;
    if (limit)
        entered(io_uring_submit_and_wait_timeout(&lane->ring->uring, &cqe, 1, &time, NULL));
    else
        entered(io_uring_submit_and_wait(&lane->ring->uring, 1));
}

bool ring_take(struct lane *lane, uint64_t *tag, int *result)
{
    struct io_uring_cqe *cqe;
    if (io_uring_peek_cqe(&lane->ring->uring, &cqe) != 0)
        return false;
    *tag = cqe->user_data & ((UINT64_C(1) << TAG_ADDRESS_BITS) - 1);
    *result = cqe->res;
    io_uring_cqe_seen(&lane->ring->uring, cqe);
    return true;
}

void ring_forget(struct lane *lane)
{
    if (lane->have_ring)
        own_ring_forget(&lane->ring->uring);
}
