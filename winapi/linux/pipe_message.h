/* SPDX-License-Identifier: MIT
 *
 * pipe_message.h - messages of a named pipe: their packets, and the rest of a message that the
 * reader's buffer had no room for.
 *
 * A packet is one byte, PACKET_LAST or PACKET_MORE, and at most PACKET_BYTES of the message. A read
 * receives the packet into the reader's buffer and, behind it, into a buffer of the link's. The
 * bytes in the link's buffer are the rest, which the next reads get first.
 *
 * Only one read is under way at a time, and only it changes the rest, under the file's
 * pending_lock: PeekNamedPipe looks at the rest.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_MESSAGE_H
#define UMSSHIM_WINAPI_LINUX_PIPE_MESSAGE_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "winapi/linux/surface.h"

enum { PACKET_BYTES = 32 << 10 };
enum { PACKET_LAST = 1, PACKET_MORE = 2 };

struct pipe_rest {
    char *bytes;      /* PACKET_BYTES of malloc's memory; NULL: a pipe of bytes */
    DWORD at, length; /* the bytes that are left */
    bool inside;      /* a read got a part of the present message, but not its end */
    bool last;        /* the present message ends with the bytes that are left */
};

/* One read, of a message or of the bytes of messages. */
struct pipe_reading {
    struct msghdr header;
    struct iovec parts[3];
    char kind;
    bool whole; /* PIPE_READMODE_MESSAGE */
    char *to;
    DWORD room, got;
    DWORD error; /* 0, ERROR_MORE_DATA */
};

/* True: the rest is the read's whole result. */
bool win__reading_has(struct pipe_reading *reading, struct pipe_rest *rest);
/* Otherwise: sets the header for the next packet. */
void win__reading_asks(struct pipe_reading *reading, struct pipe_rest *rest);
/* A packet of this many bytes has come. True: the read is over. */
bool win__reading_got(struct pipe_reading *reading, struct pipe_rest *rest, size_t bytes);

/* One write of a message. */
struct pipe_writing {
    struct msghdr header;
    struct iovec parts[2];
    char kind;
    bool any; /* a packet was sent already */
    const char *from;
    DWORD left;
};

/* Sets the header for the next packet. False: all packets are sent. */
bool win__writing_next(struct pipe_writing *writing);
/* The packet was sent. */
void win__writing_put(struct pipe_writing *writing, size_t bytes);

#endif
