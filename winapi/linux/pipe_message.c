/* SPDX-License-Identifier: MIT
 *
 * pipe_message.c - see pipe_message.h. On any thread, without the heap.
 */
#include <string.h>

#include "winapi/linux/pipe_message.h"

/* Whether the read is over, after the bytes that it has. */
static bool is_over(struct pipe_reading *reading, struct pipe_rest *rest)
{
    if (rest->length) { /* more bytes are there than the reader's buffer has room for */
        reading->error = reading->whole ? ERROR_MORE_DATA : ERROR_SUCCESS;
        return true;
    }
    if (!rest->inside)
        return false;
    if (rest->last) {
        rest->inside = false;
        return true;
    }
    if (!reading->whole)
        return reading->got || !reading->room;
    if (reading->got < reading->room)
        return false;
    reading->error = ERROR_MORE_DATA; /* the next packet is not empty */
    return true;
}

bool win__reading_has(struct pipe_reading *reading, struct pipe_rest *rest)
{
    DWORD room = reading->room - reading->got;
    DWORD count = rest->length < room ? rest->length : room;
    if (!rest->inside)
        return false;
    if (count)
        memcpy(reading->to + reading->got, rest->bytes + rest->at, count);
    reading->got += count;
    rest->at += count;
    rest->length -= count;
    return is_over(reading, rest);
}

void win__reading_asks(struct pipe_reading *reading, struct pipe_rest *rest)
{
    reading->parts[0] = (struct iovec){&reading->kind, 1};
    reading->parts[1] = (struct iovec){reading->to + reading->got, reading->room - reading->got};
    reading->parts[2] = (struct iovec){rest->bytes, PACKET_BYTES};
    reading->header = (struct msghdr){.msg_iov = reading->parts, .msg_iovlen = 3};
}

bool win__reading_got(struct pipe_reading *reading, struct pipe_rest *rest, size_t bytes)
{
    DWORD count = (DWORD)bytes - 1, room = reading->room - reading->got;
    DWORD direct = count < room ? count : room;
    reading->got += direct;
    rest->at = 0;
    rest->length = count - direct;
    rest->last = reading->kind == PACKET_LAST;
    rest->inside = true;
    return is_over(reading, rest);
}

bool win__writing_next(struct pipe_writing *writing)
{
    if (writing->any && !writing->left)
        return false;
    DWORD count = writing->left < PACKET_BYTES ? writing->left : PACKET_BYTES;
    writing->kind = count == writing->left ? PACKET_LAST : PACKET_MORE;
    writing->parts[0] = (struct iovec){&writing->kind, 1};
    writing->parts[1] = (struct iovec){(void *)(uintptr_t)writing->from, count};
    writing->header = (struct msghdr){.msg_iov = writing->parts, .msg_iovlen = 2};
    return true;
}

void win__writing_put(struct pipe_writing *writing, size_t bytes)
{
    writing->any = true;
    writing->from += bytes - 1;
    writing->left -= (DWORD)bytes - 1;
}
