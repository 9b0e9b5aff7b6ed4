/* SPDX-License-Identifier: MIT
 *
 * attempt_ring.c - see attempt_ring.h.
 *
 * accept and connect have no flag that says "do not wait". The socket's O_NONBLOCK belongs to all
 * who use the socket, so the library does not set it. To look first whether a connection is there
 * is not enough: another thread or process may take the connection in between. The caller would
 * then wait in the kernel, and its scheduler with it. io_uring makes each call without waiting
 * first. If the call has to wait, the kernel arms the request and returns to the caller. So the
 * library submits a request to cancel along with it, in the same system call.
 *
 * This ring is not the reactor's (ring.c). The kernel finishes a request as work of the thread that
 * submitted it. No request outlives its submission here: a thread takes the lock, submits, and
 * gives the lock back when the answer is there.
 *
 *     the call ends at once        the cancellation finds nothing
 *     the request is armed         it is cancelled, and the answer is ECANCELED
 *     what it waits for just came  the cancellation finds nothing. The kernel makes the call again
 *                                  as work of this thread, before the next system call ends. The
 *                                  loop cancels again until there is an answer
 *     a thread of the kernel's     (a Unix socket whose listener's queue is full) the cancellation
 *     makes the call               interrupts that thread. The answer, EINTR or ECANCELED, comes
 *                                  when that thread has noticed
 *
 * A cancellation is always answered at once. So only in the last case does a round of the loop
 * sleep.
 *
 * The first call that needs the ring opens it. It does so without liburing, which uses the heap.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/calls/attempt_ring.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { ENTRIES = 4, TAG_REQUEST = 1, TAG_CANCEL = 2 };
/* In this order: one mapping holds both rings; the kernel loses no answer; it arms a call that has
 * to wait, and gives the call to no thread. */
enum { FEATURES = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL };

/* Used with lane->attempts.lock held. */
struct attempt_ring {
    int fd;
    struct io_uring_sqe *requests;
    struct io_uring_cqe *answers;
    _Atomic uint32_t *submit_head, *submit_tail, *answer_head, *answer_tail;
    uint32_t submit_mask, answer_mask;
};

static void *map(int fd, size_t bytes, uint64_t what)
{
    long address =
        RAW6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
    if (address < 0 && address > -4096)
        return NULL;
    RAW3(SYS_madvise, address, bytes, MADV_DONTFORK);
    return (void *)address;
}

static bool lay_out(struct attempt_ring *ring, const struct io_uring_params *params)
{
    size_t bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t),
           answers = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
    if (answers > bytes)
        bytes = answers;
    char *base = map(ring->fd, bytes, IORING_OFF_SQ_RING);
    ring->requests = map(ring->fd, params->sq_entries * sizeof *ring->requests, IORING_OFF_SQES);
    if (!base || !ring->requests) {
        if (base)
            RAW2(SYS_munmap, base, bytes);
        return false;
    }
    ring->submit_head = (_Atomic uint32_t *)(base + params->sq_off.head);
    ring->submit_tail = (_Atomic uint32_t *)(base + params->sq_off.tail);
    ring->answer_head = (_Atomic uint32_t *)(base + params->cq_off.head);
    ring->answer_tail = (_Atomic uint32_t *)(base + params->cq_off.tail);
    ring->answers = (struct io_uring_cqe *)(base + params->cq_off.cqes);
    ring->submit_mask = params->sq_entries - 1;
    ring->answer_mask = params->cq_entries - 1;
    uint32_t *order = (uint32_t *)(base + params->sq_off.array);
    for (uint32_t i = 0; i < params->sq_entries; i++)
        order[i] = i;
    return true;
}

/* Where the process has no descriptor left, the next call tries again. Any other failure is
 * final. */
static void open_ring(struct lane *lane)
{
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    long fd = RAW2(SYS_io_uring_setup, ENTRIES, &params);
    if (fd == -EMFILE || fd == -ENFILE)
        return;
    lane->attempts.refused = true;
    if (fd < 0)
        return;
    struct attempt_ring *ring = plat_reserve(sizeof *ring);
    if (ring)
        ring->fd = fd_move_high((int)fd);
    if (ring && (params.features & FEATURES) == FEATURES && lay_out(ring, &params)) {
        lane->attempts.ring = ring;
        lane->attempts.refused = false;
    } else {
        own_file_close(ring ? ring->fd : fd);
    }
}

struct answers {
    bool request, cancelled; /* the request's answer is there; a cancellation found the request */
    int result;
};

static void take(struct attempt_ring *ring, struct answers *got)
{
    uint32_t head = atomic_load_explicit(ring->answer_head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(ring->answer_tail, memory_order_acquire);
    for (; head != tail; head++) {
        const struct io_uring_cqe *answer = &ring->answers[head & ring->answer_mask];
        if (answer->user_data == TAG_REQUEST) {
            got->request = true;
            got->result = answer->res;
        } else if (answer->res == 0 || answer->res == -EALREADY) {
            got->cancelled = true;
        }
    }
    atomic_store_explicit(ring->answer_head, head, memory_order_release);
}

static void ask(struct attempt_ring *ring, uint32_t *tail, const struct io_uring_sqe *request,
                uint64_t tag)
{
    struct io_uring_sqe *slot = &ring->requests[(*tail)++ & ring->submit_mask];
    *slot = *request;
    slot->user_data = tag;
}

static bool attempt(struct attempt_ring *ring, const struct io_uring_sqe *request, int *result)
{
    static const struct io_uring_sqe cancel = {
        .opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = TAG_REQUEST};
    struct answers got = {false, false, 0};
    uint32_t tail = atomic_load_explicit(ring->submit_tail, memory_order_relaxed), begin = tail;
    ask(ring, &tail, request, TAG_REQUEST);
    for (;;) {
        uint32_t head = atomic_load_explicit(ring->submit_head, memory_order_acquire);
        bool taken = (int32_t)(head - begin) > 0;
        /* The kernel may take fewer requests than it is given. The rest is offered again before
         * another cancellation is added. */
        if (!got.cancelled && (!taken || head == tail))
            ask(ring, &tail, &cancel, TAG_CANCEL);
        atomic_store_explicit(ring->submit_tail, tail, memory_order_release);
        long r =
            RAW6(SYS_io_uring_enter, ring->fd, tail - head, 1, IORING_ENTER_GETEVENTS, NULL, 8);
        head = atomic_load_explicit(ring->submit_head, memory_order_acquire);
        if (r < 0 && (int32_t)(head - begin) <= 0) {
            atomic_store_explicit(ring->submit_tail, begin, memory_order_release);
            return false;
        }
        take(ring, &got);
        if (got.request) {
            *result = got.result;
            return true;
        }
    }
}

bool attempt_by_ring(struct lane *lane, const struct io_uring_sqe *request, int *result)
{
    if (!lane->have_ring || engine_caps.sandboxed)
        return false;
    plat_lock(&lane->attempts.lock);
    if (!lane->attempts.ring && !lane->attempts.refused)
        open_ring(lane);
    bool made = lane->attempts.ring && attempt(lane->attempts.ring, request, result);
    plat_unlock(&lane->attempts.lock);
    return made;
}

void attempt_ring_forget(struct lane *lane)
{
    if (lane->attempts.ring)
        own_file_close(lane->attempts.ring->fd);
}
