/* SPDX-License-Identifier: MIT
 *
 * call_socket.c - receiving, sending.
 *
 * The attempt adds MSG_DONTWAIT. A blocking send has to hand over everything, and a receive with
 * MSG_WAITALL has to fill the buffer. Both keep their progress in call->progress and go on from
 * there. A socket's own time-out (SO_RCVTIMEO, SO_SNDTIMEO) limits the wait, as in the kernel.
 */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/sigpipe.h"

/* The error queue and urgent data: the kernel never waits for these, whatever the socket's mode. */
enum { NEVER_WAITS = MSG_ERRQUEUE | MSG_OOB };

static bool would_block(const struct call *call, long result)
{
    return result == -EAGAIN && call_may_wait(call);
}

/* The kernel need not be asked for the mode of a descriptor that waits in any. */
static bool receive_would_block(const struct call *call, long result, int flags)
{
    if (call->entry == &row_of_waiting_receive)
        return result == -EAGAIN;
    return !(flags & NEVER_WAITS) && would_block(call, result);
}

static bool is_stream(const struct call *call)
{
    int type = 0;
    socklen_t length = sizeof type;
    long r = RAW5(SYS_getsockopt, call->args[0], SOL_SOCKET, SO_TYPE, &type, &length);
    return call_was_refused(r) || (r == 0 && type == SOCK_STREAM);
}

static int timed_out(int result)
{
    return result == -ECANCELED || result == -EINTR ? -EAGAIN : result;
}

/* ---- recvfrom: buffer 1, length 2, flags 3, address 4, its length 5 -------------------------- */

static enum outcome attempt_recv(struct call *call)
{
    long *a = call->args;
    int flags = (int)a[3];
    long r = RAW6(SYS_recvfrom, a[0], a[1] + call->progress, a[2] - call->progress,
                  flags | MSG_DONTWAIT, a[4], a[5]);
    if (receive_would_block(call, r, flags))
        return CALL_WAIT;
    if (r < 0)
        return call_done(call, call->progress ? call->progress : r);
    call->progress += r;
    if (!(flags & MSG_WAITALL) || flags & (MSG_PEEK | NEVER_WAITS) || r == 0 ||
        call->progress == a[2] || !call_may_wait(call))
        return call_done(call, call->progress);
    return CALL_WAIT;
}

/* A message for the ring: the rest of the buffer 1 of length 2, without an address. */
static struct msghdr *message_of_rest(struct call *call)
{
    struct msghdr *msg = &call->ring.msg;
    call->ring.iov.iov_base = (char *)call->args[1] + call->progress;
    call->ring.iov.iov_len = (size_t)(call->args[2] - call->progress);
    *msg = (struct msghdr){.msg_iov = &call->ring.iov, .msg_iovlen = 1};
    return msg;
}

static bool submit_recv(struct call *call, struct io_uring_sqe *sqe)
{
    long *a = call->args;
    struct msghdr *msg = message_of_rest(call);
    if (a[4]) {
        socklen_t length;
        if (copy_in(&length, (void *)a[5], sizeof length))
            return false;
        msg->msg_name = (void *)a[4];
        msg->msg_namelen = length;
    }
    ring_prepare(sqe, IORING_OP_RECVMSG, a[0], msg, 1, 0, (uint32_t)a[3]);
    return true;
}

static enum outcome answered_recv(struct call *call, int result)
{
    long *a = call->args;
    if (ring_refused(result))
        return CALL_HELPER;
    if (result < 0 && call->progress)
        return call_done(call, call->progress);
    if (result >= 0 && a[4] && !call->progress) {
        socklen_t length = call->ring.msg.msg_namelen;
        copy_out((void *)a[5], &length, sizeof length);
    }
    return call_done(call, result < 0 ? timed_out(result) : call->progress + result);
}

static long block_recv(struct call *call)
{
    long *a = call->args;
    long r =
        RAW6(SYS_recvfrom, a[0], a[1] + call->progress, a[2] - call->progress, a[3], a[4], a[5]);
    if (!call->progress)
        return r;
    return r < 0 ? call->progress : call->progress + r;
}

const struct call_ops ops_recv = {.attempt = attempt_recv,
                                  .readiness = EPOLLIN,
                                  .submit = submit_recv,
                                  .answered = answered_recv,
                                  .block = block_recv};

const struct call_row row_of_waiting_receive = {.nr = SYS_recvfrom,
                                                .kinds = CALL_STOPS,
                                                .signal = SIGNAL_RECEIVES,
                                                .mask = NO_MASK,
                                                .ops = &ops_recv,
                                                .name = "recvfrom",
                                                .told = "fpuxpp"};

/* ---- recvmsg: header 1, flags 2 -------------------------------------------------------------- */

static enum outcome attempt_recvmsg(struct call *call)
{
    long *a = call->args;
    if (a[2] & MSG_WAITALL && !(a[2] & NEVER_WAITS))
        return call_may_wait(call) ? CALL_HELPER : CALL_PASS;
    long r = RAW3(SYS_recvmsg, a[0], a[1], a[2] | MSG_DONTWAIT);
    return receive_would_block(call, r, (int)a[2]) ? CALL_WAIT : call_done(call, r);
}

static bool submit_recvmsg(struct call *call, struct io_uring_sqe *sqe)
{
    ring_prepare(sqe, IORING_OP_RECVMSG, call->args[0], (void *)call->args[1], 1, 0,
                 (uint32_t)call->args[2]);
    return true;
}

static enum outcome answered_message(struct call *call, int result)
{
    if (ring_refused(result))
        return CALL_HELPER;
    return call_done(call, raise_sigpipe(call, timed_out(result)));
}

const struct call_ops ops_recvmsg = {.attempt = attempt_recvmsg,
                                     .readiness = EPOLLIN,
                                     .submit = submit_recvmsg,
                                     .answered = answered_message};

/* ---- recvmmsg, sendmmsg: vector 1, count 2, flags 3 ------------------------------------------ */

static enum outcome attempt_recvmmsg(struct call *call)
{
    long *a = call->args;
    if (a[3] & NEVER_WAITS || !call_may_wait(call))
        return CALL_PASS;
    /* With MSG_DONTWAIT the call returns early with fewer messages. Only the blocking form knows
     * when to stop. */
    struct pollfd fd = {(int)a[0], POLLIN, 0};
    if (a[2] == 1 && !(a[3] & MSG_WAITALL) && RAW3(SYS_poll, &fd, 1, 0) == 1) {
        long r = RAW5(SYS_recvmmsg, a[0], a[1], a[2], a[3] | MSG_DONTWAIT, 0);
        if (r != -EAGAIN)
            return call_done(call, r);
    }
    return CALL_HELPER;
}

const struct call_ops ops_recvmmsg = {.attempt = attempt_recvmmsg};

/* Sends the messages that the call has not sent yet. Here call->progress counts messages. */
static long send_messages(const struct call *call, int flags)
{
    const long *a = call->args;
    return RAW4(SYS_sendmmsg, a[0], (struct mmsghdr *)a[1] + call->progress, a[2] - call->progress,
                a[3] | flags | MSG_NOSIGNAL);
}

static long sent_messages(struct call *call, long result)
{
    if (call->progress)
        return call->progress + (result > 0 ? result : 0);
    return call->args[3] & MSG_NOSIGNAL ? result : raise_sigpipe(call, result);
}

static enum outcome attempt_sendmmsg(struct call *call)
{
    if (!call_may_wait(call))
        return CALL_PASS;
    if (is_stream(call))
        return CALL_HELPER; /* a message might be sent in part */
    long r = send_messages(call, MSG_DONTWAIT);
    if (r == call->args[2] || (r < 0 && r != -EAGAIN))
        return call_done(call, sent_messages(call, r));
    call->progress = r > 0 ? r : 0;
    return CALL_HELPER;
}

static long block_sendmmsg(struct call *call)
{
    return sent_messages(call, send_messages(call, 0));
}

const struct call_ops ops_sendmmsg = {.attempt = attempt_sendmmsg, .block = block_sendmmsg};

/* ---- sendto: buffer 1, length 2, flags 3, address 4, its length 5 ---------------------------- */

static long sent(struct call *call, long error)
{
    if (call->progress)
        return call->progress;
    return call->args[3] & MSG_NOSIGNAL ? error : raise_sigpipe(call, error);
}

static long send_now(struct call *call, int flags)
{
    long *a = call->args;
    return RAW6(SYS_sendto, a[0], a[1] + call->progress, a[2] - call->progress,
                a[3] | flags | MSG_NOSIGNAL, a[4], a[5]);
}

static enum outcome attempt_send(struct call *call)
{
    long r = send_now(call, MSG_DONTWAIT);
    if (r >= 0) {
        call->progress += r;
        if (call->progress == call->args[2] || !call_may_wait(call))
            return call_done(call, call->progress);
        return CALL_WAIT;
    }
    return would_block(call, r) ? CALL_WAIT : call_done(call, sent(call, r));
}

static bool submit_send(struct call *call, struct io_uring_sqe *sqe)
{
    long *a = call->args;
    struct msghdr *msg = message_of_rest(call);
    msg->msg_name = (void *)a[4];
    msg->msg_namelen = a[4] ? (socklen_t)a[5] : 0;
    ring_prepare(sqe, IORING_OP_SENDMSG, a[0], msg, 1, 0, (uint32_t)a[3] | MSG_NOSIGNAL);
    return true;
}

static enum outcome answered_send(struct call *call, int result)
{
    if (ring_refused(result))
        return CALL_HELPER;
    if (result < 0)
        return call_done(call, sent(call, timed_out(result)));
    call->progress += result;
    if (result > 0 && call->progress < call->args[2])
        return CALL_WAIT;
    return call_done(call, call->progress);
}

static long block_send(struct call *call)
{
    do {
        long r = send_now(call, 0);
        if (r < 0)
            return sent(call, r);
        call->progress += r;
        if (r == 0)
            break;
    } while (call->progress < call->args[2]);
    return call->progress;
}

const struct call_ops ops_send = {.attempt = attempt_send,
                                  .readiness = EPOLLOUT,
                                  .submit = submit_send,
                                  .answered = answered_send,
                                  .block = block_send};

/* ---- sendmsg: header 1, flags 2 -------------------------------------------------------------- */

static enum outcome attempt_sendmsg(struct call *call)
{
    long *a = call->args;
    /* To send the rest of a vector this function would have to copy the vector. So it tries only a
     * send that goes whole: a datagram is all or nothing. A stream's send waits on a helper, unless
     * there is room for it. */
    if (!call_may_wait(call))
        return CALL_PASS;
    if (is_stream(call)) {
        struct msghdr msg;
        struct iovec iov;
        /* One element without control data is the common case, and can be sent by sendto. */
        if (copy_in(&msg, (void *)a[1], sizeof msg))
            return call_done(call, -EFAULT);
        if (msg.msg_iovlen != 1 || msg.msg_controllen || copy_in(&iov, msg.msg_iov, sizeof iov))
            return CALL_HELPER;
        long r = RAW6(SYS_sendto, a[0], iov.iov_base, iov.iov_len,
                      a[2] | MSG_DONTWAIT | MSG_NOSIGNAL, msg.msg_name, msg.msg_namelen);
        if (r == (long)iov.iov_len || (r < 0 && r != -EAGAIN && !call_was_refused(r)))
            return call_done(call, a[2] & MSG_NOSIGNAL ? r : raise_sigpipe(call, r));
        call->progress = r > 0 ? r : 0;
        return CALL_HELPER;
    }
    long r = RAW3(SYS_sendmsg, a[0], a[1], a[2] | MSG_DONTWAIT);
    return would_block(call, r) ? CALL_HELPER : call_done(call, r);
}

static long block_sendmsg(struct call *call)
{
    long *a = call->args;
    if (!call->progress) {
        long r = RAW3(SYS_sendmsg, a[0], a[1], a[2] | MSG_NOSIGNAL);
        return a[2] & MSG_NOSIGNAL ? r : raise_sigpipe(call, r);
    }
    struct msghdr msg;
    struct iovec iov;
    if (copy_in(&msg, (void *)a[1], sizeof msg) || copy_in(&iov, msg.msg_iov, sizeof iov))
        return call->progress;
    while (call->progress < (long)iov.iov_len) {
        long r = RAW6(SYS_sendto, a[0], (char *)iov.iov_base + call->progress,
                      (long)iov.iov_len - call->progress, a[2] | MSG_NOSIGNAL, msg.msg_name,
                      msg.msg_namelen);
        if (r <= 0)
            break;
        call->progress += r;
    }
    return call->progress;
}

const struct call_ops ops_sendmsg = {.attempt = attempt_sendmsg, .block = block_sendmsg};
