/* SPDX-License-Identifier: MIT
 *
 * call_connection.c - accepting and connecting.
 *
 * Neither call has a form that does not wait, so a ring makes the attempts (attempt_ring.c). A call
 * that has to wait waits for readiness, as reads and writes do: it holds no kernel thread. If
 * several workers accept at one socket, the engine arms the first call, and the others stand in
 * line behind it.
 *
 * A connect that has to wait is under way from its first attempt on: the kernel goes on by itself,
 * and the socket becomes writable when the connect is over. The next attempt gets the result. A
 * Unix socket has no such state: its connect waits for room in the listener's queue, which no poll
 * can see. So a thread of the kernel's waits, for the reactor's ring.
 *
 * Without io_uring a helper makes both calls.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "platform/linux/calls/attempt_ring.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"

/* The value of call->connection in an accept whose socket listens. In a connect that is under way
 * call->connection is the error that the call fails with when its time is up. */
enum { LISTENS = 1 };

static bool is_ready(const struct call *call, short events)
{
    struct pollfd fd = {(int)call->args[0], events, 0};
    return RAW3(SYS_poll, &fd, 1, 0) != 0;
}

static bool has_to_wait(int result)
{
    return result == -ECANCELED || result == -EINTR || result == -EAGAIN;
}

static int socket_option(const struct call *call, int option)
{
    int value = 0;
    socklen_t length = sizeof value;
    long r = RAW5(SYS_getsockopt, call->args[0], SOL_SOCKET, option, &value, &length);
    return r ? 0 : value;
}

/* For a call that cannot be attempted, or where nothing tells when to attempt it again: the ring
 * gets the call as it stands, with the socket's own time-out. If a helper makes the call, the
 * kernel keeps the time-out. */
static enum outcome as_it_stands(struct call *call, int time_out)
{
    if (!call->lane->have_ring)
        return CALL_HELPER;
    deadline_of_socket(call, (int)call->args[0], time_out);
    return CALL_ARM;
}

/* ---- accept, accept4: address 1, length 2, flags 3 ------------------------------------------- */

static bool submit_accept(struct call *call, struct io_uring_sqe *sqe)
{
    int flags = call->entry->nr == SYS_accept4 ? (int)call->args[3] : 0;
    ring_prepare(sqe, IORING_OP_ACCEPT, call->args[0], (void *)call->args[1], 0,
                 (uint64_t)call->args[2], (uint32_t)flags);
    return true;
}

/* An accept with unknown flags, on a file that is no socket, or on a socket that does not listen
 * fails at once. A poll would not tell that. */
static bool may_wait(struct call *call)
{
    bool good_flags = call->entry->nr != SYS_accept4 ||
                      !(call->args[3] & 0xffffffff & ~(SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!call->connection && good_flags && socket_option(call, SO_ACCEPTCONN))
        call->connection = LISTENS;
    return call->connection;
}

static enum outcome attempt_accept(struct call *call)
{
    struct io_uring_sqe request;
    int result;
    if (!call_may_wait(call))
        return CALL_PASS;
    if (!is_ready(call, POLLIN) && may_wait(call))
        return call->lane->have_ring ? CALL_WAIT : CALL_HELPER;
    submit_accept(call, &request);
    if (!attempt_by_ring(call->lane, &request, &result))
        return as_it_stands(call, SO_RCVTIMEO);
    return has_to_wait(result) ? CALL_WAIT : call_done(call, result);
}

static enum outcome answered_accept(struct call *call, int result)
{
    if (ring_refused(result))
        return CALL_HELPER;
    return call_done(call, has_to_wait(result) ? -EAGAIN : result); /* the socket's time-out */
}

const struct call_ops ops_accept = {.attempt = attempt_accept,
                                    .readiness = EPOLLIN,
                                    .submit = submit_accept,
                                    .answered = answered_accept};

/* ---- connect: address 1, length 2 ------------------------------------------------------------ */

static void prepare_connect(const struct call *call, struct io_uring_sqe *sqe)
{
    ring_prepare(sqe, IORING_OP_CONNECT, call->args[0], (void *)call->args[1], 0,
                 (socklen_t)call->args[2], 0);
}

static enum outcome attempt_connect(struct call *call)
{
    struct io_uring_sqe request;
    int result;
    if (!call_may_wait(call))
        return CALL_PASS;
    if (call->connection && !is_ready(call, POLLOUT))
        return CALL_WAIT;
    prepare_connect(call, &request);
    if (!attempt_by_ring(call->lane, &request, &result))
        return as_it_stands(call, SO_SNDTIMEO);
    if (!has_to_wait(result) && result != -EALREADY)
        return call_done(call, result);
    /* The socket is writable, and yet the connection is not made: the protocol waits for something
     * else. */
    if (call->connection)
        return CALL_HELPER;
    if (socket_option(call, SO_DOMAIN) == AF_UNIX)
        return as_it_stands(call, SO_SNDTIMEO);
    call->connection = result == -EALREADY ? EALREADY : EINPROGRESS;
    return CALL_WAIT;
}

static bool submit_connect(struct call *call, struct io_uring_sqe *sqe)
{
    if (call->connection)
        ring_prepare(sqe, IORING_OP_POLL_ADD, call->args[0], NULL, 0, 0, POLLOUT);
    else
        prepare_connect(call, sqe);
    return true;
}

static enum outcome answered_connect(struct call *call, int result)
{
    if (call->connection && result >= 0) {
        enum outcome outcome = attempt_connect(call);
        return outcome == CALL_WAIT ? CALL_ARM : outcome; /* for the time that is left */
    }
    if (ring_refused(result))
        return CALL_HELPER;
    if (has_to_wait(result))
        result = call->connection ? -call->connection : -EAGAIN; /* the socket's time-out */
    return call_done(call, result);
}

const struct call_ops ops_connect = {.attempt = attempt_connect,
                                     .readiness = EPOLLOUT,
                                     .submit = submit_connect,
                                     .answered = answered_connect};
