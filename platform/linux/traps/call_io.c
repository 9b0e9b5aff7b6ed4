/* SPDX-License-Identifier: MIT
 *
 * call_io.c - the read and write families.
 *
 * The attempt is preadv2/pwritev2 with RWF_NOWAIT. A pipe, a socket or a device answers in one of
 * four ways: data, "would block", "no such mode here", or an error that the program should see.
 * Files without the mode (terminals, event counters, inotify) are polled for readiness, and so is
 * every file if a sandbox refuses the two calls (terminal.h has more). A blocking write has to move
 * everything before it returns. call->progress says how much it has moved.
 *
 * A disk file answers with the bytes that are in memory. These may be a part, and the file's
 * position has moved by then. No second call can mend that: another thread may read or write the
 * same open file in between, and POSIX promises that each gets a piece of its own. So one kernel
 * call reads or writes all. The worker's thread makes that call if the file need not wait for the
 * disk (disk_file.h), else a helper does. A read at a position that the call names may be made
 * again.
 */
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/traps/disk_file.h"
#include "platform/linux/traps/known_file.h"
#include "platform/linux/traps/known_stream.h"
#include "platform/linux/traps/sigpipe.h"
#include "platform/linux/traps/terminal.h"

enum { MOST_AT_ONCE = 0x7ffff000 }; /* the kernel's limit on a read or write */

/* The call in one form: vector, count, file offset (-1: the file's own), flags. */
struct transfer {
    const struct iovec *iov;
    long count;
    long offset;
    int flags;
};

static struct transfer describe(struct call *call)
{
    struct transfer t = {NULL, 1, -1, 0};
    switch (call->entry->nr) {
    case SYS_pread64:
    case SYS_pwrite64:
        t.offset = call->args[3];
        /* fall through */
    case SYS_read:
    case SYS_write:
        call->ring.iov.iov_base = (void *)call->args[1];
        call->ring.iov.iov_len = (size_t)call->args[2];
        t.iov = &call->ring.iov;
        return t;
    case SYS_preadv2:
    case SYS_pwritev2:
        t.flags = (int)call->args[5];
        /* fall through */
    case SYS_preadv:
    case SYS_pwritev:
        t.offset = call->args[3];
        /* fall through */
    default:
        t.iov = (const struct iovec *)call->args[1];
        t.count = call->args[2];
        return t;
    }
}

static bool names_position(const struct call *call, const struct transfer *t)
{
    switch (call->entry->nr) {
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_preadv:
    case SYS_pwritev:
        return true;
    default:
        return t->offset != -1;
    }
}

static long transfer_now(long nr, struct call *call, const struct transfer *t)
{
    /* pread with a negative offset is an error; preadv2 would take -1 for "the file's own". */
    if (t->offset == -1 && names_position(call, t))
        return -EINVAL;
    return RAW6(nr, call->args[0], t->iov, t->count, t->offset, 0, t->flags | RWF_NOWAIT);
}

/* An element of the program's vector. If the kernel has moved something, it has read all elements.
 * On the worker itself, before it waits, that was just now: so a plain copy is safe there. */
static bool element_of(const struct call *call, const struct iovec *at, struct iovec *element)
{
    if (at != &call->ring.iov && call->in_flight)
        return copy_in(element, at, sizeof *element) == 0;
    memcpy(element, at, sizeof *element);
    return true;
}

/* How many bytes the call asks for; -1: its vector is unreadable. */
static long length_of(const struct call *call, const struct transfer *t)
{
    size_t length = 0;
    for (long i = 0; i < t->count && length < MOST_AT_ONCE; i++) {
        struct iovec element;
        if (t->iov != &call->ring.iov ? copy_in(&element, t->iov + i, sizeof element) != 0
                                      : !element_of(call, t->iov, &element))
            return -1;
        length += element.iov_len < MOST_AT_ONCE ? element.iov_len : MOST_AT_ONCE;
    }
    return length < MOST_AT_ONCE ? (long)length : MOST_AT_ONCE;
}

/* For a file that cannot be asked to not wait. If it is ready, the thread itself writes it. A
 * helper reads it, though, because another reader may be faster. */
static enum outcome without_nowait(struct call *call, short events, enum outcome ready)
{
    struct pollfd fd = {(int)call->args[0], events, 0};
    return RAW3(SYS_poll, &fd, 1, 0) == 0 ? CALL_WAIT : ready;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads at the file's own position. */
static enum outcome read_disk_file(struct call *call, const struct transfer *t,
                                   struct disk_place *place)
{
    long length = length_of(call, t);
    if (length < 0)
        return CALL_PASS;
    if (!disk_has(place, t->iov, t->count, length))
        return CALL_HELPER;
    known_file_asked(call, place);
    if (place->seen == SEEN_WHOLE && length >= place->file.st_size)
        known_end_comes(call);
    return CALL_PASS;
}

/* True: the worker remembered the number as a stream's, but a disk file has it now, and the call
 * read a part only. The function has set the file's position back. The caller makes the call again,
 * as a disk file's. */
static bool was_no_stream(struct call *call, const struct transfer *t, long got,
                          struct disk_place *place)
{
    if (got <= 0 || is_watched(call) || is_known_count(call, got) || got >= length_of(call, t) ||
        !has_disk_place(call, place) ||
        !disk_goes_on(place->fd, RAW3(SYS_lseek, place->fd, 0, SEEK_CUR)))
        return false;
    place->position = RAW3(SYS_lseek, place->fd, -got, SEEK_CUR);
    return true;
}

/* Whether a read at a position gave fewer bytes than it asked for, though the file has more. */
static bool is_part(const struct call *call, const struct transfer *t, long got)
{
    return got > 0 && names_position(call, t) && got < length_of(call, t) &&
           disk_goes_on((int)call->args[0], t->offset + got);
}

static enum outcome attempt_read(struct call *call)
{
    int fd = (int)call->args[0];
    struct transfer t = describe(call);
    struct disk_place place;
    if (t.flags & RWF_NOWAIT)
        return call_done(call, call_as_it_stands(call));
    bool own_position = !names_position(call, &t);
    enum outcome outcome;
    if (own_position && is_known_socket(call) && known_socket_receives(call, &outcome))
        return outcome;
    if (is_known_file(call) && known_file_read(call))
        return CALL_DONE;
    bool known =
        own_position && (is_watched(call) || known_end_is_read(call) || is_known_stream(call));
    if (own_position && !known && has_disk_place(call, &place))
        return read_disk_file(call, &t, &place);
    long r = transfer_now(SYS_preadv2, call, &t);
    if (known && was_no_stream(call, &t, r, &place))
        return read_disk_file(call, &t, &place);
    if (is_part(call, &t, r))
        return disk_waits(call);
    if (r > 0 && r < length_of(call, &t) && device_gave_way(fd, r))
        return CALL_PASS;
    if (r == 0 && !length_of(call, &t))
        return CALL_HELPER; /* an event counter refuses no bytes; preadv2 would not ask it */
    if (r != -EAGAIN && r != -EOPNOTSUPP && !call_was_refused(r))
        return call_done(call, r);
    if (!own_position && fd_is_disk_file(fd))
        return r == -EAGAIN ? disk_waits(call) : CALL_PASS;
    if (!call_may_wait(call)) {
        if (r == -EAGAIN && known && has_disk_place(call, &place))
            return read_disk_file(call, &t, &place);
        return call_done(call, r == -EAGAIN ? r : call_as_it_stands(call));
    }
    /* If it is a disk file, watched.c finds that out when the call waits. */
    bool over = r != -EAGAIN && (device_reads_unready(fd, length_of(call, &t)) ||
                                 without_nowait(call, POLLIN, CALL_HELPER) == CALL_HELPER);
    return over ? CALL_HELPER : CALL_WAIT;
}

static bool submit_read(struct call *call, struct io_uring_sqe *sqe)
{
    struct transfer t = describe(call);
    ring_prepare(sqe, IORING_OP_READV, call->args[0], t.iov, (uint32_t)t.count, (uint64_t)t.offset,
                 (uint32_t)t.flags);
    return true;
}

static enum outcome answered_read(struct call *call, int result)
{
    struct transfer t = describe(call);
    if (result == -ECANCELED)
        result = -EAGAIN; /* the socket's time-out */
    else if (result == -EINTR)
        return CALL_WAIT;
    else if (ring_refused(result) || is_part(call, &t, result))
        return CALL_HELPER;
    else if (result == -EAGAIN || result == -EIO)
        return CALL_HELPER; /* only a read that waits can read this file, or tells the job */
    return call_done(call, result);
}

const struct call_ops ops_read = {attempt_read,        EPOLLIN, submit_read, answered_read,
                                  terminal_block_read, NULL,    NULL};

/* ---- Writing --------------------------------------------------------------------------------- */

/* Finds the rest of the vector. It may begin in the middle of an element: then the function copies
 * the cut element into the call record, and the rest is that one. False: nothing is left, or the
 * vector is unreadable. */
static bool remainder_of(struct call *call, struct transfer *t)
{
    *t = describe(call);
    long skip = call->progress;
    if (!skip)
        return true;
    if (t->offset != -1)
        t->offset += skip;
    if (t->iov == &call->ring.iov) {
        call->ring.iov.iov_base = (char *)call->ring.iov.iov_base + skip;
        call->ring.iov.iov_len -= (size_t)skip;
        return call->ring.iov.iov_len != 0;
    }
    while (t->count > 0) {
        struct iovec first;
        if (!element_of(call, t->iov, &first))
            return false;
        if ((size_t)skip < first.iov_len) {
            call->ring.iov.iov_base = (char *)first.iov_base + skip;
            call->ring.iov.iov_len = first.iov_len - (size_t)skip;
            if (skip) {
                t->iov = &call->ring.iov;
                t->count = 1;
            }
            return true;
        }
        skip -= (long)first.iov_len;
        t->iov++;
        t->count--;
    }
    return false;
}

static enum outcome finish_write(struct call *call, long error)
{
    if (call->progress)
        return call_done(call, call->progress);
    return call_done(call, raise_sigpipe(call, error));
}

/* A program writes an event counter again and again. So its worker remembers the descriptor, and
 * polls for room at once. If the number belongs to another file by now, that does no harm: a pipe
 * or socket with room takes this many bytes without a wait. Every STREAM_ASK_ANEW writes the worker
 * goes the long way, to notice such a file. */
static bool writes_as_before(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    return worker->known.asked_first == (int)call->args[0] + 1 && call->entry->nr == SYS_write &&
           (unsigned long)call->args[2] <= PIPE_BUF &&
           ++worker->known.asked_times % STREAM_ASK_ANEW;
}

static void remember(struct call *call, bool asked_first)
{
    struct plat_context *worker = call_worker(call);
    int number = (int)call->args[0] + 1;
    if (asked_first != (worker->known.asked_first == number))
        worker->known.asked_first = asked_first ? number : 0;
}

static enum outcome attempt_write(struct call *call)
{
    int fd = (int)call->args[0];
    struct transfer t = describe(call);
    struct disk_place place;
    if (t.flags & RWF_NOWAIT)
        return finish_write(call, call_as_it_stands(call));
    if (!call->progress && writes_as_before(call) &&
        without_nowait(call, POLLOUT, CALL_PASS) == CALL_PASS)
        return CALL_PASS;
    /* A disk file's write goes into the page cache: it waits for no other thread. */
    if (!call->progress &&
        (names_position(call, &t) ? fd_is_disk_file(fd)
                                  : !is_known_stream(call) && has_disk_place(call, &place)))
        return CALL_PASS;
    while (remainder_of(call, &t)) {
        long r = transfer_now(SYS_pwritev2, call, &t);
        /* A write of no bytes is an empty message to a socket, and an error to an event counter.
         * pwritev2 asks neither file. */
        if (r == 0 && !call->progress)
            return without_nowait(call, POLLOUT, CALL_PASS) == CALL_PASS ? CALL_PASS : CALL_HELPER;
        if (r == 0)
            return finish_write(call, 0);
        if (r > 0) {
            remember(call, false);
            call->progress += r;
            continue;
        }
        if (r != -EAGAIN && r != -EOPNOTSUPP && !call_was_refused(r))
            return finish_write(call, r);
        /* An event counter or a device. If it tells of room, the write does not wait. */
        if (r == -EOPNOTSUPP && !call->progress) {
            bool room = without_nowait(call, POLLOUT, CALL_PASS) == CALL_PASS;
            bool waits = call_may_wait(call), terminal = waits && is_terminal(fd);
            if (room)
                remember(call, !terminal);
            if (room || waits)
                return terminal ? terminal_write(call, length_of(call, &t), room)
                                : (room ? CALL_PASS : CALL_HELPER);
        }
        if (!call_may_wait(call))
            return r == -EAGAIN ? finish_write(call, r)
                                : call_done(call, raise_sigpipe(call, call_as_it_stands(call)));
        if (r == -EAGAIN)
            return !call->progress && has_disk_place(call, &place) ? CALL_PASS : CALL_WAIT;
        return tells_room(fd) ? without_nowait(call, POLLOUT, CALL_HELPER) : CALL_HELPER;
    }
    return finish_write(call, 0);
}

static bool submit_write(struct call *call, struct io_uring_sqe *sqe)
{
    struct transfer t;
    if (!remainder_of(call, &t))
        return false;
    ring_prepare(sqe, IORING_OP_WRITEV, call->args[0], t.iov, (uint32_t)t.count, (uint64_t)t.offset,
                 (uint32_t)t.flags);
    return true;
}

static enum outcome answered_write(struct call *call, int result)
{
    if (result == -ECANCELED)
        return finish_write(call, -EAGAIN); /* the socket's time-out */
    if (result == -EINTR)
        return CALL_WAIT;
    if (ring_refused(result) || result == -EAGAIN)
        return CALL_HELPER;
    if (result <= 0)
        return finish_write(call, result);
    call->progress += result;
    struct transfer t;
    return remainder_of(call, &t) ? CALL_WAIT : finish_write(call, 0);
}

/* Writes the rest of a call that has written a part. The call's own arguments would write that part
 * again. */
static long write_rest(const struct call *call, const struct transfer *t)
{
    long fd = call->args[0], r = RAW6(SYS_pwritev2, fd, t->iov, t->count, t->offset, 0, t->flags);
    if (!call_was_refused(r))
        return r;
    return names_position(call, t) ? RAW4(SYS_pwritev, fd, t->iov, t->count, t->offset)
                                   : RAW3(SYS_writev, fd, t->iov, t->count);
}

static long block_write(struct call *call)
{
    struct transfer t;
    if (!remainder_of(call, &t))
        return call->progress;
    do {
        long r = call->progress ? write_rest(call, &t) : call_as_it_stands(call);
        if (r <= 0) {
            finish_write(call, r);
            return call->result;
        }
        call->progress += r;
    } while (remainder_of(call, &t));
    return call->progress;
}

const struct call_ops ops_write = {attempt_write, EPOLLOUT, submit_write, answered_write,
                                   block_write,   NULL,     NULL};
