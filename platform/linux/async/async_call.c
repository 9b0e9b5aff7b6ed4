/* SPDX-License-Identifier: MIT
 *
 * async_call.c - the calls themselves, made here and now.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "platform/linux/async/async_parts.h"
#include "platform/linux/os/raw.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

/* In two registers, as the call wants it. */
static long vector(long number, const struct async_call *call, const struct iovec *parts,
                   uint32_t count, bool wait)
{
    return RAW6(number, call->fd, parts, count, call->offset, 0,
                call->flags | (wait ? 0 : RWF_NOWAIT));
}

long async_make(const struct async_call *call, bool wait)
{
    struct iovec whole = {call->address, call->length};
    struct pollfd ready = {call->fd, (short)call->flags, 0};
    switch ((enum async_kind)call->kind) {
    case ASYNC_READ:
        return vector(SYS_preadv2, call, &whole, 1, wait);
    case ASYNC_WRITE:
        return vector(SYS_pwritev2, call, &whole, 1, wait);
    case ASYNC_READV:
        return vector(SYS_preadv2, call, call->address, call->length, wait);
    case ASYNC_WRITEV:
        return vector(SYS_pwritev2, call, call->address, call->length, wait);
    case ASYNC_RECVMSG:
        return RAW3(SYS_recvmsg, call->fd, call->address, call->flags | (wait ? 0 : MSG_DONTWAIT));
    case ASYNC_SENDMSG:
        return RAW3(SYS_sendmsg, call->fd, call->address,
                    call->flags | MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
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
    return *result != -EAGAIN && *result != -EOPNOTSUPP && *result != -EINTR;
}
