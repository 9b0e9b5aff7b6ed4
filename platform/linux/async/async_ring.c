/* SPDX-License-Identifier: MIT
 *
 * async_ring.c - ums:async's calls, made by a ring. All on that thread.
 *
 * A request's tag is its call's address and, above an address's bits, a number that each submission
 * gets. So a cancellation that comes too late does not hit the next call in the same memory. A
 * cancellation may find nothing although the call is in flight: its file has become ready, and the
 * kernel is about to make the call. Then it is cancelled once more.
 */
#include <errno.h>
#include <liburing.h>
#include <poll.h>

#include "platform/check.h"
#include "platform/linux/async/async.h"
#include "platform/linux/async/async_parts.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/own_ring.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/platform.h"

enum { TAG_ADDRESS_BITS = 48 };
/* Tags of answers that belong to no call. TAG_WAKE: the descriptor by which ums:async is woken is
 * readable. A call's tag with TAG_CANCEL answers the cancellation of that call, and is ignored. */
enum { TAG_WAKE = 2, TAG_CANCEL = 1 };

static struct io_uring uring;
static uint64_t submissions, wake_count;
static int wake_file;

static struct io_uring_sqe *slot(void)
{
    struct io_uring_sqe *request = io_uring_get_sqe(&uring);
    if (!request) {
        io_uring_submit(&uring);
        request = io_uring_get_sqe(&uring);
    }
    if (!request)
        UMS_FATAL("the ring of ums:async takes no submission", 0, 0);
    return request;
}

static void watch_wake_file(void)
{
    struct io_uring_sqe *request = slot();
    io_uring_prep_read(request, wake_file, &wake_count, sizeof wake_count, 0);
    request->user_data = TAG_WAKE;
}

static bool open_ring(int wake_fd)
{
    if (plat_switch("UMSSHIM_RING", '0') || engine_caps.emulated || engine_caps.sandboxed ||
        !own_ring_make(&uring))
        return false;
    wake_file = wake_fd;
    watch_wake_file();
    return true;
}

static void prepare(struct io_uring_sqe *request, const struct async_call *call)
{
    switch ((enum async_kind)call->kind) {
    case ASYNC_READ:
        io_uring_prep_read(request, call->fd, call->address, call->length, call->offset);
        return;
    case ASYNC_WRITE:
        io_uring_prep_write(request, call->fd, call->address, call->length, call->offset);
        request->rw_flags = (int)call->flags;
        return;
    case ASYNC_READV:
        io_uring_prep_readv(request, call->fd, call->address, call->length, call->offset);
        return;
    case ASYNC_WRITEV:
        io_uring_prep_writev(request, call->fd, call->address, call->length, call->offset);
        return;
    case ASYNC_RECVMSG:
        io_uring_prep_recvmsg(request, call->fd, call->address, call->flags);
        return;
    case ASYNC_SENDMSG:
        io_uring_prep_sendmsg(request, call->fd, call->address, call->flags | MSG_NOSIGNAL);
        return;
    case ASYNC_ACCEPT:
        io_uring_prep_accept(request, call->fd, NULL, NULL, SOCK_CLOEXEC);
        return;
    case ASYNC_CONNECT:
        io_uring_prep_connect(request, call->fd, call->address, call->length);
        return;
    case ASYNC_POLL:
        /* A ring ignores wake-ups if it waits for POLLPRI alone. Those for urgent data have
         * POLLRDBAND, too. */
        io_uring_prep_poll_add(request, call->fd,
                               call->flags | (call->flags & POLLPRI ? POLLRDBAND : 0));
        return;
    case ASYNC_NOTHING:
        io_uring_prep_nop(request);
        return;
    }
}

static uint32_t events_of(const struct async_call *call)
{
    bool in = call->kind == ASYNC_READ || call->kind == ASYNC_READV ||
              call->kind == ASYNC_RECVMSG || call->kind == ASYNC_ACCEPT;
    return in ? POLLIN : POLLOUT;
}

static void begin(struct async_call *call)
{
    struct io_uring_sqe *request = slot();
    if (call->readying)
        io_uring_prep_poll_add(request, call->fd, events_of(call));
    else
        prepare(request, call);
    call->tag = (uint64_t)(uintptr_t)call | ++submissions << TAG_ADDRESS_BITS;
    request->user_data = call->tag;
}

static void cancel(struct async_call *call)
{
    struct io_uring_sqe *request = slot();
    io_uring_prep_cancel64(request, call->tag, 0);
    request->user_data = call->tag | TAG_CANCEL;
}

/* A cancellation found no request with this tag. A call that is still in flight is cancelled
 * again. */
static void cancel_again(uint64_t tag)
{
    for (struct async_call *call = async_flying.first; call; call = call->next)
        if (call->tag == tag) {
            cancel(call);
            return;
        }
}

/* The ring has answered the call's request with this result. */
static void answered(struct async_call *call, int result)
{
    bool once_more = false;
    if (result == -EAGAIN && call->kind != ASYNC_POLL && !call->readying) {
        call->readying = once_more = true; /* the file has O_NONBLOCK */
    } else if (call->readying && result >= 0) {
        call->readying = false;
        once_more = true;
    } else if (result == -EINTR) {
        once_more = true;
    }
    if (!once_more)
        async_over(call, result == -EINTR ? -ECANCELED : result);
    else if (call->cancelled)
        async_over(call, -ECANCELED);
    else
        begin(call);
}

static void entered(int result)
{
    if (UMS_UNLIKELY(call_was_refused(result)))
        UMS_FATAL("io_uring_enter is refused, by a sandbox that came after the first overlapped "
                  "operation. Set it up before, or start with UMSSHIM_RING=0",
                  (uintptr_t)-result, 0);
}

static void serve(bool look)
{
    struct io_uring_cqe *answer;
    entered(look ? io_uring_submit(&uring) : io_uring_submit_and_wait(&uring, 1));
    while (io_uring_peek_cqe(&uring, &answer) == 0) {
        uint64_t tag = answer->user_data;
        int result = answer->res;
        io_uring_cqe_seen(&uring, answer);
        if (tag == TAG_WAKE)
            watch_wake_file();
        else if (!(tag & TAG_CANCEL))
            answered(
                (struct async_call *)(uintptr_t)(tag & ((UINT64_C(1) << TAG_ADDRESS_BITS) - 1)),
                result);
        else if (result == -ENOENT)
            cancel_again(tag & ~(uint64_t)TAG_CANCEL);
    }
}

static void forget(void)
{
    own_ring_forget(&uring);
}

const struct async_way async_ring = {open_ring, begin, cancel, serve, forget};
