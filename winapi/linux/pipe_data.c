/* SPDX-License-Identifier: MIT
 *
 * pipe_data.c - reading and writing a named pipe on the calling thread: see pipe_data.h.
 *
 * They call the library's fronts of libc's calls: a worker that has to wait gives its scheduler the
 * processor. Reads of messages are made one at a time, and so are writes, which could mix.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/libc/waiting_receive.h"
#include "winapi/linux/pipe_data.h"

static bool is_closed(const struct file *file)
{
    return __atomic_load_n(&file->closed, __ATOMIC_RELAXED);
}

/* Whether an interrupted call is made again. In the middle of a message it always is. */
static bool is_made_again(bool begun)
{
    return begun ? errno == EINTR : sync_call_again();
}

/* A call that may wait has not waited: a process that was given an end may have set O_NONBLOCK, and
 * that holds for the end. Waits. True: the call can be made again. */
static bool can_wait(int fd, ssize_t result, int flags, short events)
{
    struct pollfd file = {fd, events, 0};
    return result < 0 && errno == EAGAIN && !(flags & MSG_DONTWAIT) && poll(&file, 1, -1) > 0;
}

/* Returns as libc's calls do. One part is received by recv, which the engine serves fastest. */
static ssize_t receive_once(int fd, struct msghdr *header, int flags)
{
    const struct iovec *part = header->msg_iov;
    ssize_t got;
    do {
        if (header->msg_iovlen > 1)
            got = recvmsg(fd, header, flags);
        else
            got = flags ? recv(fd, part->iov_base, part->iov_len, flags)
                        : waiting_receive(fd, part->iov_base, part->iov_len);
    } while (can_wait(fd, got, flags, POLLIN));
    return got;
}

/* Receives bytes. Returns their number, 0 at the end, or -errno. If the peer has closed without
 * reading all, the kernel says so once, before it gives out the peer's last bytes: so the call is
 * made again. */
static ssize_t receive(const struct file *file, const struct pipe_link *link, struct msghdr *header,
                       int flags, bool begun)
{
    ssize_t got;
    bool reset = false;
    do {
        got = receive_once(link->fd, header, flags);
        bool first = got < 0 && errno == ECONNRESET && !reset;
        reset |= first;
        if (got >= 0 || (!first && !is_made_again(begun)))
            break;
    } while (!is_closed(file));
    return got < 0 ? -errno : got;
}

static DWORD read_bytes(struct file *file, struct pipe_link *link, void *buffer, DWORD count,
                        int flags, DWORD *moved)
{
    struct iovec part = {buffer, count};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (!count)
        return 0;
    ssize_t got = receive(file, link, &header, flags, false);
    if (got <= 0)
        return win__pipe_failure(link, (int)-got, false);
    *moved = (DWORD)got;
    return 0;
}

/* The caller has the link's `reading`. */
static DWORD read_message(struct file *file, struct pipe_link *link, struct pipe_reading *reading,
                          int flags)
{
    plat_lock(&file->pending_lock);
    bool over = win__reading_has(reading, &link->rest);
    plat_unlock(&file->pending_lock);
    for (bool begun = false; !over; begun = true) {
        win__reading_asks(reading, &link->rest);
        ssize_t got = receive(file, link, &reading->header, flags, begun);
        if (got <= 0)
            return win__pipe_failure(link, (int)-got, false);
        plat_lock(&file->pending_lock);
        over = win__reading_got(reading, &link->rest, (size_t)got);
        plat_unlock(&file->pending_lock);
        flags = 0; /* the rest of this message is on its way */
    }
    return reading->error;
}

DWORD win__pipe_read_now(struct file *file, struct pipe_link *link, void *buffer, DWORD count,
                         bool whole, bool waits, DWORD *moved)
{
    int flags = waits ? 0 : MSG_DONTWAIT;
    DWORD error;
    *moved = 0;
    struct sync_call outer = sync_call_begin(&file->object);
    sync_call_keep(&link->object);
    if (!link->messages) {
        error = read_bytes(file, link, buffer, count, flags, moved);
        sync_call_end(&outer);
        return error;
    }
    struct pipe_reading reading = {.to = buffer, .room = count, .whole = whole};
    bool mine = turn_take(&link->reading);
    error = mine ? read_message(file, link, &reading, flags) : ERROR_OPERATION_ABORTED;
    if (mine)
        turn_leave(&link->reading);
    sync_call_end(&outer);
    *moved = reading.got;
    return error;
}

static ssize_t send_all(const struct file *file, const struct pipe_link *link,
                        const struct msghdr *header, int flags, bool begun)
{
    const struct iovec *part = header->msg_iov;
    ssize_t put;
    flags |= MSG_NOSIGNAL;
    do
        put = header->msg_iovlen == 1 ? send(link->fd, part->iov_base, part->iov_len, flags)
                                      : sendmsg(link->fd, header, flags);
    while (can_wait(link->fd, put, flags, POLLOUT) ||
           (put < 0 && is_made_again(begun) && !is_closed(file)));
    return put < 0 ? -errno : put;
}

/* The caller has the link's `writing`. Without room, a write that must not wait writes less, which
 * is no error. */
static DWORD write_bytes(struct file *file, struct pipe_link *link, const char *bytes, DWORD count,
                         int flags, DWORD *moved)
{
    while (*moved < count) {
        struct iovec part = {(void *)(uintptr_t)(bytes + *moved), count - *moved};
        struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
        ssize_t put = send_all(file, link, &header, flags, false);
        if (put == -EAGAIN)
            return 0;
        if (put < 0)
            return win__pipe_failure(link, (int)-put, true);
        *moved += (DWORD)put;
    }
    return 0;
}

static DWORD write_message(struct file *file, struct pipe_link *link, const char *bytes,
                           DWORD count, int flags, DWORD *moved)
{
    struct pipe_writing writing = {.from = bytes, .left = count};
    while (win__writing_next(&writing)) {
        ssize_t put = send_all(file, link, &writing.header, flags, *moved);
        if (put == -EAGAIN)
            return 0;
        if (put < 0)
            return win__pipe_failure(link, (int)-put, true);
        win__writing_put(&writing, (size_t)put);
        *moved = count - writing.left;
        flags = 0; /* a message is written whole, or not at all */
    }
    return 0;
}

DWORD win__pipe_write_now(struct file *file, struct pipe_link *link, const void *buffer,
                          DWORD count, bool waits, DWORD *moved)
{
    int flags = waits ? 0 : MSG_DONTWAIT;
    *moved = 0;
    struct sync_call outer = sync_call_begin(&file->object);
    sync_call_keep(&link->object);
    bool mine = turn_take(&link->writing);
    DWORD error = !mine            ? ERROR_OPERATION_ABORTED
                  : link->messages ? write_message(file, link, buffer, count, flags, moved)
                                   : write_bytes(file, link, buffer, count, flags, moved);
    if (mine)
        turn_leave(&link->writing);
    sync_call_end(&outer);
    return error;
}

/* ---- ReadFile, WriteFile --------------------------------------------------------------------- */

/* Fills in an OVERLAPPED that the program gives although it has not opened the file with
 * FILE_FLAG_OVERLAPPED. */
static BOOL finish(DWORD error, DWORD moved, DWORD *count, OVERLAPPED *overlapped)
{
    if (count)
        *count = moved;
    if (overlapped && (!error || error == ERROR_MORE_DATA)) {
        overlapped->Internal = overlapped_status(error);
        overlapped->InternalHigh = moved;
        if (overlapped->hEvent)
            SetEvent((HANDLE)((uintptr_t)overlapped->hEvent & ~(uintptr_t)1));
    }
    return win__result((int)error);
}

static BOOL transfer(struct file *file, void *buffer, DWORD count, DWORD *moved,
                     OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine, bool writes)
{
    DWORD done = 0, error = 0;
    DWORD mode = win__pipe_end(file)->mode;
    if (file->overlapped) {
        struct operation *operation;
        error = win__pipe_operation(file, overlapped, routine, &operation);
        if (error)
            return win__result((int)error);
        struct pipe_transfer *transfer = operation->memory;
        if (writes)
            transfer->writing = (struct pipe_writing){.from = buffer, .left = count};
        else
            transfer->reading = (struct pipe_reading){
                .to = buffer, .room = count, .whole = mode & PIPE_READMODE_MESSAGE};
        error = writes ? win__pipe_begin_write(operation, &done)
                       : win__pipe_begin_read(operation, &done);
        if (moved)
            *moved = done;
        return win__result((int)error);
    }
    struct pipe_link *link = win__pipe_hold(file, &error);
    if (link) {
        bool waits = !(mode & PIPE_NOWAIT);
        error = writes ? win__pipe_write_now(file, link, buffer, count, waits, &done)
                       : win__pipe_read_now(file, link, buffer, count, mode & PIPE_READMODE_MESSAGE,
                                            waits, &done);
        object_drop(&link->object);
    }
    object_drop(&file->object);
    return finish(error, done, moved, overlapped);
}

BOOL win__pipe_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                    OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    return transfer(file, buffer, count, moved, overlapped, routine, false);
}

BOOL win__pipe_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                     OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    return transfer(file, (void *)(uintptr_t)buffer, count, moved, overlapped, routine, true);
}
