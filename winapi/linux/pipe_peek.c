/* SPDX-License-Identifier: MIT
 *
 * pipe_peek.c - PeekNamedPipe, for named pipes and for CreatePipe's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/pipe_data.h"

/* PeekNamedPipe's results. */
struct sight {
    char *buffer;
    DWORD room, got;
    DWORD there; /* bytes that can be read now */
    DWORD left;  /* bytes of the first message behind those in the buffer */
};

static void show(struct sight *sight, const char *bytes, DWORD count)
{
    DWORD room = sight->room - sight->got, shown = count < room ? count : room;
    if (shown)
        memcpy(sight->buffer + sight->got, bytes, shown);
    sight->got += shown;
}

/* ---- CreatePipe's ---------------------------------------------------------------------------- */

/* The only way to look into a pipe is to copy its bytes to another pipe. */
static DWORD peek_pipe(int fd, struct sight *sight)
{
    int copy[2], bytes = 0;
    struct pollfd ready = {fd, POLLIN, 0};
    if (ioctl(fd, FIONREAD, &bytes))
        return win__error_of(errno);
    sight->there = (DWORD)bytes;
    if (!bytes)
        return poll(&ready, 1, 0) > 0 && ready.revents & POLLHUP ? ERROR_BROKEN_PIPE : 0;
    if (!sight->room)
        return 0;
    if (pipe2(copy, O_CLOEXEC | O_NONBLOCK))
        return win__error_of(errno);
    ssize_t copied = tee(fd, copy[1], sight->room, SPLICE_F_NONBLOCK);
    ssize_t got = copied > 0 ? read(copy[0], sight->buffer, (size_t)copied) : 0;
    close(copy[0]);
    close(copy[1]);
    sight->got = got > 0 ? (DWORD)got : 0;
    return 0;
}

/* ---- Named pipes' ---------------------------------------------------------------------------- */

static DWORD peek_bytes(const struct pipe_link *link, struct sight *sight)
{
    int bytes = 0;
    char one;
    ssize_t got = recv(link->fd, sight->room ? sight->buffer : &one, sight->room ? sight->room : 1,
                       MSG_PEEK | MSG_DONTWAIT);
    if (got <= 0)
        return got && errno == EAGAIN ? 0 : win__pipe_failure(link, got ? errno : 0, false);
    ioctl(link->fd, FIONREAD, &bytes);
    sight->got = sight->room ? (DWORD)got : 0;
    sight->there = (DWORD)bytes > sight->got ? (DWORD)bytes : sight->got;
    return 0;
}

/* Looks at one packet after the other, from the end of the one before. */
static DWORD peek_packets(const struct pipe_link *link, struct sight *sight, bool first_message,
                          bool whole)
{
    for (int at = 0;;) {
        char kind = 0;
        struct iovec parts[2] = {{&kind, 1},
                                 {sight->buffer + sight->got, sight->room - sight->got}};
        struct msghdr header = {.msg_iov = parts, .msg_iovlen = first_message || !whole ? 2 : 1};
        setsockopt(link->fd, SOL_SOCKET, SO_PEEK_OFF, &at, sizeof at);
        ssize_t got = recvmsg(link->fd, &header, MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
        if (got <= 0)
            return at || sight->there || (got && errno == EAGAIN)
                       ? 0
                       : win__pipe_failure(link, got ? errno : 0, false);
        DWORD bytes = (DWORD)got - 1, room = sight->room - sight->got;
        DWORD shown = header.msg_iovlen == 1 ? 0 : bytes < room ? bytes : room;
        sight->got += shown;
        sight->there += bytes;
        if (first_message)
            sight->left += bytes - shown;
        if (kind == PACKET_LAST)
            first_message = false;
        at += (int)got;
    }
}

static DWORD peek_messages(struct file *file, struct pipe_link *link, struct sight *sight)
{
    const struct pipe_rest *rest = &link->rest;
    bool whole = win__pipe_end(file)->mode & PIPE_READMODE_MESSAGE;
    static const int off = -1;
    plat_lock(&file->pending_lock);
    bool ended = rest->inside && rest->last;
    if (rest->inside) {
        show(sight, rest->bytes + rest->at, rest->length);
        sight->there = rest->length;
        sight->left = rest->length - sight->got;
    }
    plat_unlock(&file->pending_lock);
    DWORD error = peek_packets(link, sight, !ended, whole);
    setsockopt(link->fd, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof off);
    return error;
}

static DWORD peek(struct file *file, struct sight *sight)
{
    DWORD error = 0;
    if (!file->named_pipe)
        return file->type == FILE_TYPE_PIPE && !file->message_calls ? peek_pipe(file->fd, sight)
                                                                    : ERROR_INVALID_FUNCTION;
    struct pipe_link *link = win__pipe_hold(file, &error);
    if (!link)
        return error == ERROR_INVALID_HANDLE ? error : ERROR_BAD_PIPE;
    error = link->messages ? peek_messages(file, link, sight) : peek_bytes(link, sight);
    object_drop(&link->object);
    return error;
}

BOOL WINAPI PeekNamedPipe(HANDLE hNamedPipe, LPVOID lpBuffer, DWORD nBufferSize,
                          LPDWORD lpBytesRead, LPDWORD lpTotalBytesAvail,
                          LPDWORD lpBytesLeftThisMessage)
{
    struct file *file = win__file_for(hNamedPipe, FILE_MAY_READ);
    if (!file)
        return FALSE;
    struct sight sight = {.buffer = lpBuffer, .room = lpBuffer ? nBufferSize : 0};
    DWORD error = peek(file, &sight);
    object_drop(&file->object);
    if (error)
        return win__fail(error);
    if (lpBytesRead)
        *lpBytesRead = sight.got;
    if (lpTotalBytesAvail)
        *lpTotalBytesAvail = sight.there;
    if (lpBytesLeftThisMessage)
        *lpBytesLeftThisMessage = sight.left;
    return TRUE;
}
