/* SPDX-License-Identifier: MIT
 *
 * async_call.c - makes the calls, on the calling thread.
 */
#include <poll.h>
#include <sys/socket.h>

#include "platform/linux/async/async_parts.h"

/* With one buffer the system needs no header, so sendto or recvfrom serves. */
static long message(const struct async_call *call, bool sends, bool wait)
{
    const struct msghdr *header = call->address;
    const struct iovec *part = header->msg_iov;
    long flags = call->flags | (sends ? MSG_NOSIGNAL : 0) | (wait ? 0 : MSG_DONTWAIT);
    if (!call->stream || header->msg_iovlen != 1)
        return RAW3(sends ? SYS_sendmsg : SYS_recvmsg, call->fd, header, flags);
    return RAW6(sends ? SYS_sendto : SYS_recvfrom, call->fd, part->iov_base, part->iov_len, flags,
                0, 0);
}

long async_make(const struct async_call *call, bool wait)
{
    struct iovec whole = {call->address, call->length};
    struct pollfd ready = {call->fd, (short)call->flags, 0};
    switch ((enum async_kind)call->kind) {
    case ASYNC_READ:
        return async_move(call, SYS_preadv2, &whole, 1, wait);
    case ASYNC_WRITE:
        return async_move(call, SYS_pwritev2, &whole, 1, wait);
    case ASYNC_READV:
        return async_move(call, SYS_preadv2, call->address, call->length, wait);
    case ASYNC_WRITEV:
        return async_move(call, SYS_pwritev2, call->address, call->length, wait);
    case ASYNC_RECVMSG:
        return message(call, false, wait);
    case ASYNC_SENDMSG:
        return message(call, true, wait);
    case ASYNC_ACCEPT:
        return wait ? RAW4(SYS_accept4, call->fd, 0, 0, SOCK_CLOEXEC) : -EAGAIN;
    case ASYNC_CONNECT:
        return wait ? RAW3(SYS_connect, call->fd, call->address, call->length) : -EAGAIN;
    case ASYNC_POLL: {
        long r = RAW3(SYS_poll, &ready, 1, 0);
        return r > 0 ? ready.revents : r ? r : -EAGAIN;
    }
    case ASYNC_NOTHING:
        return 0;
    }
    return -EINVAL;
}

bool async_attempt(const struct async_call *call, long *result)
{
    *result = async_make(call, false);
    return async_attempted(*result);
}
