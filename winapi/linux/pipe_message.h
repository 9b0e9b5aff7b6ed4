/* SPDX-License-Identifier: MIT
 *
 * pipe_message.h - messages of a named pipe: how they lie in packets, and what of one is left when
 * the reader's buffer was too small.
 *
 * A packet is one byte, PACKET_LAST or PACKET_MORE, and at most PACKET_BYTES of the message. A read
 * asks for the packet with the reader's buffer and, behind it, the link's own: what the first has
 * no room for lies in the second, and is the rest, which the next reads get first.
 *
 * The rest belongs to the read that is under way: there is one at a time. It changes under the
 * file's pending_lock, for PeekNamedPipe looks at it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_MESSAGE_H
#define UMSSHIM_WINAPI_LINUX_PIPE_MESSAGE_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "winapi/linux/surface.h"

enum { PACKET_BYTES = 32 << 10 };
enum { PACKET_LAST = 1, PACKET_MORE = 2 };

struct pipe_rest {
    char *bytes;      /* PACKET_BYTES of them, from malloc; NULL: the pipe is one of bytes */
    DWORD at, length; /* what is there */
    bool inside;      /* of the present message some was given out, and not its end */
    bool last;        /* the present message ends with what is there */
};

/* One read of a message, or of bytes that came as messages. */
struct pipe_reading {
    struct msghdr header;
    struct iovec parts[3];
    char kind;
    bool whole; /* PIPE_READMODE_MESSAGE */
    char *to;
    DWORD room, got;
    DWORD error; /* 0, ERROR_MORE_DATA */
};

/* True: what is there already is the read's result. */
bool win__reading_has(struct pipe_reading *reading, struct pipe_rest *rest);
/* Else the header asks for the next packet. */
void win__reading_asks(struct pipe_reading *reading, struct pipe_rest *rest);
/* A packet has come, of this many bytes. True: that was all. */
bool win__reading_got(struct pipe_reading *reading, struct pipe_rest *rest, size_t bytes);

/* One write of a message. */
struct pipe_writing {
    struct msghdr header;
    struct iovec parts[2];
    char kind;
    bool any; /* a packet is gone already */
    const char *from;
    DWORD left;
};

/* The header says the next packet; false: all are gone. */
bool win__writing_next(struct pipe_writing *writing);
/* The packet is gone. */
void win__writing_put(struct pipe_writing *writing, size_t bytes);

#endif
