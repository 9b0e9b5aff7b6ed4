/* SPDX-License-Identifier: MIT
 *
 * pipe_end.c - the ends of named pipes and the links between them: their lifetimes, and the calls
 * that take a reference to one (pipe.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/wake_file.h"
#include "winapi/linux/error.h"
#include "winapi/linux/pipe.h"

/* ---- Links ----------------------------------------------------------------------------------- */

static void let_link_go(struct object *object)
{
    struct pipe_link *link = (struct pipe_link *)object;
    if (link->server)
        RAW1(SYS_close, link->fd);
    own_file_close(link->parting);
}

static void destroy_link(struct object *object)
{
    free(((struct pipe_link *)object)->rest.bytes);
}

struct pipe_link *win__pipe_link(int fd, int parting, bool server, bool messages)
{
    char *bytes = messages ? malloc(PACKET_BYTES) : NULL;
    struct pipe_link *link = messages && !bytes ? NULL : object_create(OBJECT_LINK, sizeof *link);
    if (!link) {
        free(bytes);
        return NULL;
    }
    link->fd = fd;
    link->parting = parting;
    link->server = server;
    link->messages = messages;
    link->rest.bytes = bytes;
    link->object.let_go = let_link_go;
    link->object.destroy = destroy_link;
    return link;
}

struct pipe_link *win__pipe_pair(DWORD peer, bool messages, int *socket)
{
    int pair[2], parting = wake_file_open(O_NONBLOCK);
    *socket = -1;
    if (parting < 0)
        return NULL;
    if (socketpair(AF_UNIX, (messages ? SOCK_SEQPACKET : SOCK_STREAM) | SOCK_CLOEXEC, 0, pair)) {
        own_file_close(parting);
        return NULL;
    }
    struct pipe_link *link = win__pipe_link(pair[0], parting, true, messages);
    *socket = pair[1];
    if (link) {
        link->peer = peer;
    } else {
        own_file_close(parting);
        close(pair[0]);
    }
    return link;
}

static bool is_ready(int fd, short events)
{
    struct pollfd ready = {fd, events, 0};
    return RAW3(SYS_poll, &ready, 1, 0) == 1 && ready.revents & (events | POLLHUP);
}

/* ERROR_PIPE_NOT_CONNECTED if the server's end has disconnected, else `otherwise`. */
static DWORD parted(const struct pipe_link *link, DWORD otherwise)
{
    return is_ready(link->parting, POLLIN) ? ERROR_PIPE_NOT_CONNECTED : otherwise;
}

bool win__pipe_is_over(int fd)
{
    return is_ready(fd, 0);
}

DWORD win__pipe_failure(const struct pipe_link *link, int failure, bool writes)
{
    switch (failure) {
    case 0:
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
    case ECONNREFUSED:
        return parted(link, writes ? ERROR_NO_DATA : ERROR_BROKEN_PIPE);
    case EAGAIN:
        return ERROR_NO_DATA;
    default:
        return win__error_of(failure);
    }
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* No call finds the link any more. The caller has the end's reference, and all others are those of
 * calls. An overlapped file's are its operations', which are asked to end already
 * (overlapped_close): a call does not wait there. */
static bool calls_wait(struct file *file, struct pipe_link *link)
{
    if (file->overlapped)
        return false;
    plat_lock(&link->object.lock);
    bool wait = link->object.refs > 1 + link->parents;
    plat_unlock_lasting(&link->object.lock);
    return wait;
}

/* At the end of the last handle: wakes the threads that wait on the link, and the threads and
 * operations that wait for a client. */
static void closed(struct file *file)
{
    struct pipe_end *end = win__pipe_end(file);
    static const uint64_t one = 1;
    if (end->name)
        end->leave(end);
    plat_lock(&file->pending_lock);
    struct pipe_link *link = end->link;
    end->link = NULL;
    end->state = PIPE_DISCONNECTED;
    plat_unlock(&file->pending_lock);
    if (end->ready >= 0)
        RAW3(SYS_write, end->ready, &one, sizeof one);
    if (link && calls_wait(file, link))
        RAW2(SYS_shutdown, link->fd, SHUT_RDWR);
    else if (link && link->parents)
        win__file_let_go(link->fd);
    if (link)
        object_drop(&link->object);
}

static void end_of(struct file *file)
{
    struct pipe_end *end = win__pipe_end(file);
    if (end->link)
        object_drop(&end->link->object);
    if (end->ready >= 0)
        own_file_close(end->ready);
    free(end->key);
}

/* In a child after fork: the calls under way are those of the parent's threads, which have the
 * turns as well. */
static void forget(struct file *file)
{
    struct pipe_link *link = win__pipe_end(file)->link;
    if (!link)
        return;
    link->parents = link->object.refs - 1;
    turn_forget(&link->reading);
    turn_forget(&link->writing);
}

static const struct file_kind pipe_kind = {
    .bytes = sizeof(struct pipe_end), .closed = closed, .end = end_of, .forget = forget};

struct file *win__pipe_file(int fd, unsigned access, const struct pipe_facts *facts)
{
    struct file *file = win__file_create_kind(fd, access, &pipe_kind);
    if (!file)
        return NULL;
    struct pipe_end *end = win__pipe_end(file);
    end->file = file;
    end->facts = *facts;
    end->ready = -1;
    file->type = FILE_TYPE_PIPE;
    file->message_calls = true;
    file->named_pipe = true;
    return file;
}

/* ---- References ------------------------------------------------------------------------------ */

struct file *win__pipe(HANDLE handle)
{
    struct file *file = win__file(handle);
    if (!file || file->named_pipe)
        return file;
    object_drop(&file->object);
    win__fail(ERROR_INVALID_FUNCTION);
    return NULL;
}

struct pipe_link *win__pipe_hold(struct file *file, DWORD *error)
{
    struct pipe_end *end = win__pipe_end(file);
    plat_lock(&file->pending_lock);
    struct pipe_link *link = file->closed ? NULL : end->link;
    if (link) {
        object_hold(&link->object);
    } else {
        *error = file->closed                   ? ERROR_INVALID_HANDLE
                 : end->state == PIPE_LISTENING ? ERROR_PIPE_LISTENING
                                                : ERROR_PIPE_NOT_CONNECTED;
    }
    plat_unlock(&file->pending_lock);
    return link;
}
