/* SPDX-License-Identifier: MIT
 *
 * pipe_overlapped.c - reading and writing a named pipe with an OVERLAPPED: see pipe_data.h.
 *
 * A read of messages begins without a system call (ASYNC_NOTHING): its result may be the rest of a
 * message, and only when it is this read's turn is it known whether there is a rest. Reads of bytes
 * have no rest, and begin with the system call.
 */
#include <errno.h>
#include <string.h>

#include "winapi/linux/pipe_data.h"

static struct pipe_link *link_of(const struct operation *operation)
{
    return (struct pipe_link *)operation->other;
}

/* Whether the call is made again. state[0]: the kernel has reported the peer's end already, as in
 * pipe_data.c's receive. */
static bool again(struct operation *operation, long result)
{
    bool first = result == -ECONNRESET && !operation->state[0];
    operation->state[0] |= first;
    return first || result == -EINTR;
}

static bool fails(struct operation *operation, long result, bool writes)
{
    operation->error = win__pipe_failure(link_of(operation), (int)-result, writes);
    return true;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

static bool read_bytes_step(struct operation *operation, long result)
{
    struct pipe_reading *reading = &((struct pipe_transfer *)operation->memory)->reading;
    if (again(operation, result))
        return false;
    if (result < 0 || (!result && reading->room))
        return fails(operation, result, false);
    operation->bytes = (DWORD)result;
    return true;
}

/* `result`: of no system call yet, or of the one for the next packet. */
static bool read_message_step(struct operation *operation, long result)
{
    struct pipe_reading *reading = &((struct pipe_transfer *)operation->memory)->reading;
    struct file *file = operation->file;
    struct pipe_rest *rest = &link_of(operation)->rest;
    bool asked = operation->call.kind == ASYNC_RECVMSG;
    if (asked && again(operation, result))
        return false;
    if (asked && result <= 0)
        return fails(operation, result, false);
    plat_lock(&file->pending_lock);
    bool over =
        asked ? win__reading_got(reading, rest, (size_t)result) : win__reading_has(reading, rest);
    plat_unlock(&file->pending_lock);
    operation->bytes = reading->got;
    operation->error = reading->error;
    if (over)
        return true;
    win__reading_asks(reading, rest);
    operation->call.kind = ASYNC_RECVMSG;
    operation->call.address = &reading->header;
    return false;
}

static void prepare_read(struct operation *operation)
{
    struct pipe_reading *reading = &((struct pipe_transfer *)operation->memory)->reading;
    if (link_of(operation)->messages) {
        operation->step = read_message_step;
        operation->call.kind = ASYNC_NOTHING;
        return;
    }
    reading->parts[0] = (struct iovec){reading->to, reading->room};
    reading->header = (struct msghdr){.msg_iov = reading->parts, .msg_iovlen = 1};
    operation->step = read_bytes_step;
    operation->call.kind = ASYNC_RECVMSG;
    operation->call.address = &reading->header;
}

DWORD win__pipe_begin_read(struct operation *operation, DWORD *moved)
{
    prepare_read(operation);
    operation->direction = INWARD;
    return (DWORD)operation_begin(operation, moved);
}

/* ---- Writes ---------------------------------------------------------------------------------- */

/* A pipe of bytes sends all that is left, without a byte in front. */
static bool next_write(struct operation *operation)
{
    struct pipe_writing *writing = &((struct pipe_transfer *)operation->memory)->writing;
    if (link_of(operation)->messages) {
        if (!win__writing_next(writing))
            return false;
    } else {
        if (writing->any && !writing->left)
            return false;
        writing->parts[0] = (struct iovec){(void *)(uintptr_t)writing->from, writing->left};
        writing->header = (struct msghdr){.msg_iov = writing->parts, .msg_iovlen = 1};
    }
    operation->call.kind = ASYNC_SENDMSG;
    operation->call.address = &writing->header;
    return true;
}

/* True: all is written, or the write has failed. */
static bool write_step(struct operation *operation, long result)
{
    struct pipe_writing *writing = &((struct pipe_transfer *)operation->memory)->writing;
    DWORD before = writing->left;
    if (result == -EINTR)
        return false;
    if (result < 0)
        return fails(operation, result, true);
    if (link_of(operation)->messages) {
        win__writing_put(writing, (size_t)result);
    } else {
        writing->any = true;
        writing->from += result;
        writing->left -= (DWORD)result;
    }
    operation->bytes += before - writing->left;
    return !next_write(operation);
}

DWORD win__pipe_begin_write(struct operation *operation, DWORD *moved)
{
    next_write(operation);
    operation->step = write_step;
    operation->direction = OUTWARD;
    return (DWORD)operation_begin(operation, moved);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static bool request_step(struct operation *operation, long result)
{
    if (!write_step(operation, result))
        return false;
    if (operation->error)
        return true;
    operation->bytes = 0;
    prepare_read(operation);
    return false;
}

DWORD win__pipe_begin_transaction(struct operation *operation, DWORD *moved)
{
    next_write(operation);
    operation->step = request_step;
    operation->direction = INWARD;
    return (DWORD)operation_begin(operation, moved);
}

DWORD win__pipe_operation(struct file *file, OVERLAPPED *overlapped,
                          LPOVERLAPPED_COMPLETION_ROUTINE routine, struct operation **made)
{
    DWORD error = 0;
    struct pipe_link *link = win__pipe_hold(file, &error);
    if (!error)
        error =
            (DWORD)operation_create(file, overlapped, routine, sizeof(struct pipe_transfer), made);
    if (error) {
        if (link)
            object_drop(&link->object);
        object_drop(&file->object);
        return error;
    }
    memset((*made)->memory, 0, sizeof(struct pipe_transfer));
    (*made)->other = &link->object;
    (*made)->call.fd = link->fd;
    return 0;
}
