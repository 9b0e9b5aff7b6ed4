/* SPDX-License-Identifier: MIT
 *
 * ring.h - a lane's io_uring. The reactor alone uses it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_RING_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_RING_H

#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct call;
struct lane;

/* The tag of an answer: a call's address, or one of these. */
enum { RING_LISTENER = 1, RING_WAKE = 2, RING_NOTHING = 3 };

/* Opens the lane's ring, where the system allows one, and sets lane->have_ring. Uses the heap. */
void ring_open(struct lane *lane);
void ring_forget(struct lane *lane); /* in a child after fork */

/* The next ring_enter submits the requests that these prepare. */
void ring_watch_listener(struct lane *lane);            /* answers RING_LISTENER, once */
void ring_watch_wake_fd(struct lane *lane);             /* answers RING_WAKE, once */
bool ring_submit(struct lane *lane, struct call *call); /* false: the ring cannot do this call */
void ring_cancel(struct lane *lane, struct call *call);

void ring_enter(struct lane *lane);
/* Submits, and waits for an answer or for that many nanoseconds; 0: no limit. */
void ring_enter_and_wait(struct lane *lane, uint64_t limit);
/* Takes an answer; false: there is none. */
bool ring_take(struct lane *lane, uint64_t *tag, int *result);

/* Fills in a request, for call_ops.submit. The operation says what offset and flags mean. */
static inline void ring_prepare(struct io_uring_sqe *sqe, uint8_t operation, long fd,
                                const void *address, uint32_t length, uint64_t offset,
                                uint32_t flags)
{
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = operation;
    sqe->fd = (int32_t)fd;
    sqe->addr = (uint64_t)(uintptr_t)address;
    sqe->len = length;
    sqe->off = offset;
    sqe->rw_flags = (int)flags;
}

#endif
