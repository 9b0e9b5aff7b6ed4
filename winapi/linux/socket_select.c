/* SPDX-License-Identifier: MIT
 *
 * socket_select.c - select and WSAPoll, by poll.
 *
 * Both begin a call on each socket for the time of the wait, so closesocket wakes them. A stream
 * that was never connected is never ready on Windows, but Linux reports POLLHUP for it. So such a
 * stream is left out of the poll.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/socket.h"

struct asked {
    struct pollfd *polled;
    struct file **files;
    unsigned count;
};

static bool make_room(struct asked *asked, size_t most)
{
    asked->count = 0;
    asked->polled = calloc(most + 1, sizeof *asked->polled + sizeof(struct file *));
    asked->files = asked->polled ? (struct file **)(asked->polled + most + 1) : NULL;
    return asked->polled != NULL;
}

static void end_all(struct asked *asked)
{
    for (unsigned i = 0; i < asked->count; i++)
        if (asked->files[i])
            win__socket_end(asked->files[i], 0);
    free(asked->polled);
}

static bool takes_part(const struct file *file)
{
    return win__socket_of(file)->type != SOCK_STREAM ||
           win__socket_is(file, SOCKET_LISTENING | SOCKET_CONNECTING | SOCKET_CONNECTED);
}

static void add(struct asked *asked, struct file *file, short events)
{
    asked->files[asked->count] = file;
    asked->polled[asked->count++] =
        (struct pollfd){.fd = file && takes_part(file) ? file->fd : -1, .events = events};
}

static bool any_deferred(const struct asked *asked)
{
    for (unsigned i = 0; i < asked->count; i++)
        if (asked->files[i] && win__socket_of(asked->files[i])->deferred >= 0)
            return true;
    return false;
}

/* Polls until a deadline. A connection that accept has deferred makes its listener ready at
 * once. */
static int poll_until(struct asked *asked, uint64_t deadline)
{
    if (any_deferred(asked))
        deadline = 0;
    for (;;) {
        uint64_t now = deadline == PLAT_FOREVER ? 0 : plat_now();
        uint64_t left = deadline > now ? deadline - now : 0;
        struct timespec limit = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        int ready =
            ppoll(asked->polled, asked->count, deadline == PLAT_FOREVER ? NULL : &limit, NULL);
        if (ready >= 0 || errno != EINTR)
            return ready;
    }
}

/* ---- select ---------------------------------------------------------------------------------- */

enum { READABLE, WRITABLE, FAILED, SETS };

static const short wanted[SETS] = {POLLIN | POLLRDHUP, POLLOUT, POLLPRI};

static bool belongs(const struct asked *asked, unsigned i, int set)
{
    short found = asked->polled[i].revents;
    const struct file *file = asked->files[i];
    bool refused = found & (POLLERR | POLLHUP) && win__socket_is(file, SOCKET_CONNECTING);
    switch (set) {
    case READABLE:
        return !refused && (found & (POLLIN | POLLRDHUP | POLLHUP | POLLERR) ||
                            win__socket_of(file)->deferred >= 0);
    case WRITABLE:
        return !refused && found & (POLLOUT | POLLERR | POLLHUP);
    default:
        return refused || found & POLLPRI;
    }
}

static DWORD ask_for(struct asked *asked, umsshim_ws_fd_set *sets[])
{
    for (int set = 0; set < SETS; set++)
        for (u_int i = 0; sets[set] && i < sets[set]->fd_count; i++) {
            struct file *file = win__socket_begin(sets[set]->fd_array[i]);
            if (!file)
                return GetLastError();
            add(asked, file, wanted[set]);
        }
    return 0;
}

/* Leaves only the ready sockets in each set. Returns their number in all sets. */
static int leave_ready(struct asked *asked, umsshim_ws_fd_set *sets[])
{
    unsigned next = 0;
    int total = 0;
    for (int set = 0; set < SETS; set++) {
        u_int kept = 0, count = sets[set] ? sets[set]->fd_count : 0;
        for (u_int i = 0; i < count; i++, next++)
            if (belongs(asked, next, set))
                sets[set]->fd_array[kept++] = sets[set]->fd_array[i];
        if (sets[set])
            sets[set]->fd_count = kept;
        total += (int)kept;
    }
    return total;
}

static bool any_closed(const struct asked *asked)
{
    for (unsigned i = 0; i < asked->count; i++)
        if (asked->files[i] && win__socket_is(asked->files[i], SOCKET_CLOSED))
            return true;
    return false;
}

int umsshim_ws_select(int nfds, umsshim_ws_fd_set *readfds, umsshim_ws_fd_set *writefds,
                      umsshim_ws_fd_set *exceptfds, const struct timeval *timeout)
{
    (void)nfds;
    umsshim_ws_fd_set *sets[SETS] = {readfds, writefds, exceptfds};
    uint64_t deadline = PLAT_FOREVER;
    size_t most = 0;
    struct asked asked;
    if (!win__winsock_started())
        return SOCKET_ERROR;
    for (int set = 0; set < SETS; set++)
        most += sets[set] ? sets[set]->fd_count : 0;
    if (!most || (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
        return win__winsock_fail(WSAEINVAL);
    if (timeout)
        deadline = plat_now() + (uint64_t)timeout->tv_sec * 1000000000u +
                   (uint64_t)timeout->tv_usec * 1000u;
    if (!make_room(&asked, most))
        return win__winsock_fail(WSAENOBUFS);
    DWORD error = ask_for(&asked, sets);
    if (!error && poll_until(&asked, deadline) < 0)
        error = win__winsock_error(errno);
    if (!error && any_closed(&asked))
        error = WSAENOTSOCK;
    int ready = error ? 0 : leave_ready(&asked, sets);
    end_all(&asked);
    return error ? win__winsock_fail(error) : ready;
}

int __WSAFDIsSet(SOCKET fd, umsshim_ws_fd_set *set)
{
    for (u_int i = 0; i < set->fd_count; i++)
        if (set->fd_array[i] == fd)
            return 1;
    return 0;
}

/* ---- WSAPoll --------------------------------------------------------------------------------- */

enum { MAY_ASK = POLLIN | POLLRDNORM | POLLRDBAND | POLLOUT | POLLWRNORM | POLLWRBAND };

/* Sets each socket's result. Returns how many have one. POLLNVAL alone does not end the wait. */
static int answer(struct asked *asked, LPWSAPOLLFD array)
{
    int answers = 0;
    for (unsigned i = 0; i < asked->count; i++) {
        const struct file *file = asked->files[i];
        short found = asked->polled[i].revents;
        if (file && win__socket_of(file)->deferred >= 0)
            found |= (short)(array[i].events & (POLLIN | POLLRDNORM));
        if (file && win__socket_is(file, SOCKET_CLOSED))
            found = POLLNVAL;
        if (!file)
            found = POLLNVAL;
        array[i].revents = found;
        answers += found && file;
    }
    return answers;
}

int WSAPoll(LPWSAPOLLFD fdArray, ULONG fds, INT timeout)
{
    struct asked asked;
    DWORD error = 0;
    unsigned good = 0;
    if (!win__winsock_started())
        return SOCKET_ERROR;
    if (!fds)
        return win__winsock_fail(WSAEINVAL);
    if (!fdArray)
        return win__winsock_fail(WSAEFAULT);
    if (!make_room(&asked, fds))
        return win__winsock_fail(WSAENOBUFS);
    for (ULONG i = 0; i < fds && !error; i++) {
        struct file *file = win__socket_begin(fdArray[i].fd);
        fdArray[i].revents = 0;
        good += file != NULL;
        add(&asked, file, fdArray[i].events);
        if (file && fdArray[i].events & ~MAY_ASK)
            error = WSAEINVAL;
    }
    if (!error && !good)
        error = WSAENOTSOCK;
    uint64_t deadline = timeout < 0 ? PLAT_FOREVER : win__deadline((DWORD)timeout);
    if (!error && poll_until(&asked, deadline) < 0)
        error = win__winsock_error(errno);
    int answers = error && good ? 0 : answer(&asked, fdArray);
    end_all(&asked);
    return error ? win__winsock_fail(error) : answers;
}
