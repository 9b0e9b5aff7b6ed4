/* SPDX-License-Identifier: MIT
 *
 * short_ring.c - see short_ring.h.
 */
#include "short_ring.h"
#include "bare_call.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRIES = 1 };

static uint32_t *word_at(const struct short_ring *ring, uint32_t offset)
{
    return (uint32_t *)(void *)((char *)ring->queues + offset);
}

bool short_ring_open(struct short_ring *ring)
{
    struct io_uring_params p;

    memset(&p, 0, sizeof p);
    ring->bare = false;
    ring->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
    if (ring->fd < 0)
        return false;
    ring->bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
    if (p.sq_off.array + p.sq_entries * sizeof(uint32_t) > ring->bytes)
        ring->bytes = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
    ring->queues = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        ring->fd, IORING_OFF_SQ_RING);
    ring->requests = mmap(NULL, sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
    if (ring->queues == MAP_FAILED || ring->requests == MAP_FAILED ||
        !(p.features & IORING_FEAT_SINGLE_MMAP))
        return false;
    ring->sq_tail = word_at(ring, p.sq_off.tail);
    ring->sq_mask = word_at(ring, p.sq_off.ring_mask);
    ring->sq_array = word_at(ring, p.sq_off.array);
    ring->cq_head = word_at(ring, p.cq_off.head);
    ring->cq_tail = word_at(ring, p.cq_off.tail);
    ring->cq_mask = word_at(ring, p.cq_off.ring_mask);
    ring->answers = (struct io_uring_cqe *)(void *)word_at(ring, p.cq_off.cqes);
    return true;
}

void short_ring_close(struct short_ring *ring)
{
    munmap(ring->queues, ring->bytes);
    munmap(ring->requests, sizeof(struct io_uring_sqe));
    close(ring->fd);
}

static long enter(const struct short_ring *ring, unsigned submit)
{
    long made =
        ring->bare
            ? bare_call_5(SYS_io_uring_enter, ring->fd, submit, 1, IORING_ENTER_GETEVENTS, 0)
            : syscall(SYS_io_uring_enter, ring->fd, submit, 1, IORING_ENTER_GETEVENTS, NULL, 0);

    return made < 0 && !ring->bare ? -errno : made;
}

static int submit_and_wait(struct short_ring *ring, const struct io_uring_sqe *request)
{
    uint32_t tail = *ring->sq_tail, head = *ring->cq_head;
    long made;

    ring->requests[0] = *request;
    ring->sq_array[tail & *ring->sq_mask] = 0;
    __atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
    made = enter(ring, 1);
    while (made >= 0 && __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) == head)
        made = enter(ring, 0);
    if (made < 0)
        return (int)made;
    int result = ring->answers[head & *ring->cq_mask].res;
    __atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
    return result;
}

int short_ring_read(struct short_ring *ring, int fd, void *to, unsigned bytes)
{
    struct io_uring_sqe request;

    memset(&request, 0, sizeof request);
    request.opcode = IORING_OP_READ;
    request.fd = fd;
    request.addr = (uintptr_t)to;
    request.len = bytes;
    request.off = (uint64_t)-1;
    return submit_and_wait(ring, &request);
}

int short_ring_sleep(struct short_ring *ring, long nanoseconds)
{
    struct __kernel_timespec time = {.tv_nsec = nanoseconds};
    struct io_uring_sqe request;

    memset(&request, 0, sizeof request);
    request.opcode = IORING_OP_TIMEOUT;
    request.fd = -1;
    request.addr = (uintptr_t)&time;
    request.len = 1;
    return submit_and_wait(ring, &request);
}
