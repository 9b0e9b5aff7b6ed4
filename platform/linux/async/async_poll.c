/* SPDX-License-Identifier: MIT
 *
 * async_poll.c - ums:async's calls where there is no ring. All on that thread.
 *
 * ums:async waits until the files of the calls in flight are ready, and makes the calls in the form
 * that does not wait. accept and connect have no such form, so their sockets get O_NONBLOCK: a
 * listener for good, a socket that connects until it has connected. Disk threads make the calls for
 * disks (async_disk.c), which are not cancelled. A terminal has no such form either: it is read
 * when it is ready.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "platform/linux/async/async.h"
#include "platform/linux/async/async_parts.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

enum { FIRST_ROOM = 128 };

static struct pollfd *polls; /* polls[0] is the wake file's */
static struct async_call **callers;
static size_t room;
static int wake_file;

static bool widen(size_t wanted)
{
    size_t more = room ? room : FIRST_ROOM;
    while (more < wanted)
        more *= 2;
    if (more == room)
        return true;
    struct pollfd *new_polls = plat_reserve(more * sizeof *polls);
    struct async_call **new_callers = plat_reserve(more * sizeof(struct async_call *));
    if (!new_polls || !new_callers) {
        if (new_polls)
            RAW2(SYS_munmap, new_polls, more * sizeof *polls);
        return false;
    }
    if (room) {
        RAW2(SYS_munmap, polls, room * sizeof *polls);
        RAW2(SYS_munmap, callers, room * sizeof(struct async_call *));
    }
    polls = new_polls;
    callers = new_callers;
    room = more;
    return true;
}

static bool open_poll(int wake_fd)
{
    wake_file = wake_fd;
    return widen(FIRST_ROOM);
}

static void set_nonblocking(int fd, bool on)
{
    long flags = RAW2(SYS_fcntl, fd, F_GETFL);
    if (flags >= 0)
        RAW3(SYS_fcntl, fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static short events_of(const struct async_call *call)
{
    switch ((enum async_kind)call->kind) {
    case ASYNC_READ:
    case ASYNC_READV:
    case ASYNC_RECVMSG:
    case ASYNC_ACCEPT:
        return POLLIN;
    case ASYNC_POLL:
        return (short)call->flags;
    default:
        return POLLOUT;
    }
}

/* Finishes no call, not even one that has its result at once: `serve` finishes all. */
static void begin(struct async_call *call)
{
    if (call->disk) {
        call->away = true;
        async_disk_begin(call);
    } else if (call->kind == ASYNC_NOTHING) {
        call->result = 0;
    } else if (call->kind == ASYNC_CONNECT) {
        set_nonblocking(call->fd, true);
        call->result = async_make(call, true);
        call->readying = call->result == -EINPROGRESS;
    } else if (call->kind == ASYNC_ACCEPT) {
        set_nonblocking(call->fd, true);
    }
}

static void cancel(struct async_call *call)
{
    (void)call; /* call->cancelled says so; settle finishes it */
}

static void finish(struct async_call *call, long result)
{
    if (call->kind == ASYNC_CONNECT)
        set_nonblocking(call->fd, false);
    async_over(call, result);
}

/* The call's file is ready: makes the call. */
static void attempt(struct async_call *call, short events)
{
    long result = 0;
    if (call->kind == ASYNC_CONNECT) {
        int error = 0, bytes = sizeof error;
        result = RAW5(SYS_getsockopt, call->fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
        result = result ? result : -error;
    } else if (call->kind == ASYNC_POLL) {
        result = events;
    } else {
        result = async_make(call, call->kind == ASYNC_ACCEPT);
        if (result == -EOPNOTSUPP)
            result = async_make(call, true);
    }
    if (result != -EAGAIN && result != -EINTR)
        finish(call, result);
}

static bool is_over(const struct async_call *call)
{
    return call->kind == ASYNC_NOTHING || (call->kind == ASYNC_CONNECT && !call->readying);
}

/* Finishes the calls that wait for nothing any more. finish() takes no other call out of the list,
 * so `next` stays valid. */
static void settle(void)
{
    for (struct async_call *call = async_flying.first, *next; call; call = next) {
        next = call->next;
        if (is_over(call))
            finish(call, call->result);
        else if (call->cancelled && !call->away)
            finish(call, -ECANCELED);
    }
}

static size_t gather(void)
{
    size_t count = 1;
    for (struct async_call *call = async_flying.first; call; call = call->next)
        count += !call->away;
    if (!widen(count))
        count = room; /* no memory: the rest is polled when some of these are over */
    polls[0] = (struct pollfd){wake_file, POLLIN, 0};
    size_t at = 1;
    for (struct async_call *call = async_flying.first; at < count; call = call->next) {
        if (call->away)
            continue;
        polls[at] = (struct pollfd){call->fd, events_of(call), 0};
        callers[at++] = call;
    }
    return count;
}

static void serve(bool look)
{
    settle();
    size_t count = gather();
    struct timespec no_time = {0, 0};
    long ready = RAW5(SYS_ppoll, polls, count, look || async_disk_any() ? &no_time : NULL, NULL, 8);
    if (ready > 0 && polls[0].revents) {
        uint64_t times;
        RAW3(SYS_read, wake_file, &times, sizeof times);
    }
    for (size_t i = 1; i < count && ready > 0; i++)
        if (polls[i].revents)
            attempt(callers[i], polls[i].revents);
    async_disk_serve();
}

static void forget(void)
{
    async_disk_forget();
}

const struct async_way async_poll = {open_poll, begin, cancel, serve, forget};
