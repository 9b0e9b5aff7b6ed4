/* SPDX-License-Identifier: MIT
 *
 * pipe_server.c - the pipe names of this process, their instances, and connecting clients:
 * pipe_server.h.
 *
 * A client's connection is a guest until its request is answered. Only the thread ums:watch makes
 * and frees guests. A guest may wait for an instance to listen: then any thread answers it, under
 * the lock, and ums:watch frees it when its client closes. A name that ends shuts its guests'
 * connections down, and ums:watch frees them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/linux/async/fd_watch.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/error.h"
#include "winapi/linux/pipe_server.h"

enum { BACKLOG = 128 };

struct guest {
    struct guest *next;
    struct pipe_name *name; /* NULL: the name has ended */
    uint64_t name_number;
    int fd;
    DWORD peer;
    bool waits, told;
};

static PLAT_LOCK(PIPES) lock; /* for all below, and for the state and link of each instance */
static struct pipe_name *names;
static struct guest *guests;
static uint64_t numbers;

/* One name begins or ends at a time: a name that is ending still has its address. */
static SRWLOCK beginning = SRWLOCK_INIT;

/* ---- Answers: the caller has the lock -------------------------------------------------------- */

/* The socket is empty, so there is room. `gifts`: descriptors that go with the answer, or NULL. */
static bool answer(int fd, const struct pipe_name *name, DWORD error, const int gifts[GIFTS])
{
    struct pipe_answer text = {PIPE_MAGIC, error, name->facts};
    struct iovec part = {&text, sizeof text};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(GIFTS * sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (gifts) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(GIFTS * sizeof(int)),
                                          .cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), gifts, GIFTS * sizeof(int));
    }
    return RAW3(SYS_sendmsg, fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof text;
}

static struct pipe_end *listening(const struct pipe_name *name)
{
    struct pipe_end *end = name->first;
    while (end && end->state != PIPE_LISTENING)
        end = end->next;
    return end;
}

void win__pipe_listens(struct pipe_end *end)
{
    uint64_t times;
    while (RAW3(SYS_read, end->ready, &times, sizeof times) > 0)
        continue;
    plat_lock(&end->file->pending_lock);
    end->state = PIPE_LISTENING;
    plat_unlock(&end->file->pending_lock);
    for (struct guest *guest = guests; guest; guest = guest->next)
        if (guest->name == end->name && guest->waits && !guest->told)
            guest->told = answer(guest->fd, guest->name, 0, NULL);
}

void win__pipes_lock(void)
{
    plat_lock(&lock);
}

void win__pipes_unlock(void)
{
    plat_unlock(&lock);
}

/* Gives the client's link to the instance. */
static void connect_to(struct pipe_end *end, struct pipe_link *link)
{
    static const uint64_t one = 1;
    plat_lock(&end->file->pending_lock);
    end->link = link;
    end->state = PIPE_CONNECTED;
    end->file->fd = link->fd;
    plat_unlock(&end->file->pending_lock);
    RAW3(SYS_write, end->ready, &one, sizeof one);
}

/* Answers a client that wants to open the pipe. `link` is made for it, and `socket` is the link's
 * other end. True: the client has an instance. */
static bool admit(struct guest *guest, unsigned access, struct pipe_link *link, int socket)
{
    const struct pipe_name *name = guest->name;
    struct pipe_end *end = name ? listening(name) : NULL;
    DWORD error = 0;
    if (!name)
        return false; /* the connection is closed, which is the answer */
    unsigned may = (name->facts.access & PIPE_ACCESS_OUTBOUND ? FILE_MAY_READ : 0) |
                   (name->facts.access & PIPE_ACCESS_INBOUND ? FILE_MAY_WRITE : 0);
    if (access & (FILE_MAY_READ | FILE_MAY_WRITE) & ~may)
        error = ERROR_ACCESS_DENIED;
    else if (!end)
        error = ERROR_PIPE_BUSY;
    else if (!link)
        error = ERROR_NOT_ENOUGH_MEMORY;
    if (error) {
        answer(guest->fd, name, error, NULL);
        return false;
    }
    connect_to(end, link); /* before the answer: the client may be a thread of this process */
    answer(guest->fd, name, 0, (const int[GIFTS]){socket, link->parting});
    return true;
}

/* ---- Guests: on the thread ums:watch --------------------------------------------------------- */

static void dismiss(struct guest *guest)
{
    plat_lock(&lock);
    struct guest **link = &guests;
    while (*link && *link != guest)
        link = &(*link)->next;
    if (*link)
        *link = guest->next;
    plat_unlock(&lock);
    close(guest->fd);
    free(guest);
}

static void wants_to_open(struct guest *guest, unsigned access)
{
    plat_lock(&lock);
    bool wanted = guest->name && listening(guest->name);
    bool messages = wanted && guest->name->facts.messages;
    plat_unlock(&lock);
    int socket = -1;
    struct pipe_link *link = wanted ? win__pipe_pair(guest->peer, messages, &socket) : NULL;
    plat_lock(&lock);
    bool admitted = admit(guest, access, link, socket);
    plat_unlock(&lock);
    if (!admitted && link)
        object_drop(&link->object);
    if (socket >= 0)
        close(socket);
    dismiss(guest);
}

static bool wants_to_wait(struct guest *guest)
{
    plat_lock(&lock);
    const struct pipe_name *name = guest->name;
    bool now = name && listening(name);
    bool stays = name && answer(guest->fd, name, now ? 0 : ERROR_PIPE_BUSY, NULL) && !now;
    guest->waits = stays;
    plat_unlock(&lock);
    if (!stays)
        dismiss(guest);
    return !stays;
}

/* The guest has sent its request, or has closed. */
static bool speaks(void *arg)
{
    struct guest *guest = arg;
    struct pipe_request request;
    ssize_t got = recv(guest->fd, &request, sizeof request, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got == sizeof request && request.magic == PIPE_MAGIC && !guest->waits) {
        if (request.wish == PIPE_OPEN) {
            wants_to_open(guest, request.access);
            return true;
        }
        if (request.wish == PIPE_WAIT_FOR)
            return wants_to_wait(guest);
        plat_lock(&lock);
        if (guest->name)
            answer(guest->fd, guest->name, 0, NULL);
        plat_unlock(&lock);
    }
    dismiss(guest);
    return true;
}

static bool is_own(int fd, DWORD *process)
{
    struct ucred peer = {0};
    socklen_t bytes = sizeof peer;
    bool known = !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
    *process = (DWORD)peer.pid;
    return known && peer.uid == geteuid();
}

/* The caller has the lock. */
static struct pipe_name *numbered(uint64_t number)
{
    struct pipe_name *name = names;
    while (name && name->number != number)
        name = name->next;
    return name;
}

/* A client has connected to the name with this number. */
static bool comes(void *arg)
{
    struct guest *guest = calloc(1, sizeof *guest);
    plat_lock(&lock);
    struct pipe_name *name = numbered((uintptr_t)arg);
    int fd = name ? (int)RAW4(SYS_accept4, name->listener, 0, 0, SOCK_CLOEXEC) : -1;
    if (guest && fd >= 0) {
        guest->name = name;
        guest->fd = fd;
        guest->next = guests;
        guests = guest;
    }
    plat_unlock(&lock);
    if (guest && fd >= 0) {
        if (!is_own(fd, &guest->peer) || fd_watch(fd, speaks, guest))
            dismiss(guest);
    } else {
        if (fd >= 0)
            close(fd);
        free(guest);
    }
    return !name;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The caller has the lock. */
static struct pipe_name *find(const char *key)
{
    struct pipe_name *name = names;
    while (name && strcmp(name->key, key) != 0)
        name = name->next;
    return name;
}

/* The caller has the lock. Adds an instance to a name that exists. */
static DWORD join(struct pipe_name *name, struct pipe_end *end, bool first)
{
    if (first || name->facts.messages != end->facts.messages ||
        name->facts.access != end->facts.access)
        return ERROR_ACCESS_DENIED;
    if (name->facts.limit != PIPE_UNLIMITED_INSTANCES && name->facts.instances >= name->facts.limit)
        return ERROR_PIPE_BUSY;
    return 0;
}

/* The caller has the lock. Begins a name that this process does not have. Its socket listens then,
 * or another process has the name. */
static DWORD establish(struct pipe_name *fresh)
{
    struct sockaddr_un address;
    unsigned length = win__pipe_address(fresh->key, &address);
    long error = RAW3(SYS_bind, fresh->listener, &address, length);
    if (!error)
        error = RAW2(SYS_listen, fresh->listener, BACKLOG);
    if (error)
        return error == -EADDRINUSE ? ERROR_ALREADY_EXISTS : win__error_of((int)-error);
    fresh->number = ++numbers;
    fresh->next = names;
    names = fresh;
    return 0;
}

static void free_name(struct pipe_name *name)
{
    if (name->listener >= 0)
        own_file_close(name->listener);
    free(name->key);
    free(name);
}

static void leave(struct pipe_end *end)
{
    AcquireSRWLockExclusive(&beginning);
    plat_lock(&lock);
    struct pipe_name *name = end->name;
    struct pipe_end **link = &name->first;
    while (*link && *link != end)
        link = &(*link)->next;
    if (*link)
        *link = end->next;
    name->facts.instances--;
    end->name = NULL;
    bool last = !name->first;
    if (last) {
        struct pipe_name **each = &names;
        while (*each && *each != name)
            each = &(*each)->next;
        if (*each)
            *each = name->next;
        for (struct guest *guest = guests; guest; guest = guest->next)
            if (guest->name == name) {
                guest->name = NULL;
                RAW2(SYS_shutdown, guest->fd, SHUT_RDWR);
            }
    }
    plat_unlock(&lock);
    if (last) {
        fd_watch_end(name->listener);
        free_name(name);
    }
    ReleaseSRWLockExclusive(&beginning);
}

DWORD win__pipe_instance(struct pipe_end *end, struct pipe_name *fresh, bool first)
{
    bool used = false;
    AcquireSRWLockExclusive(&beginning);
    plat_lock(&lock);
    struct pipe_name *name = find(fresh->key);
    DWORD error = name ? join(name, end, first) : establish(fresh);
    if (!error && !name) {
        used = true;
        name = fresh;
        name->facts = end->facts;
    }
    if (!error) {
        struct pipe_end **link = &name->first;
        while (*link)
            link = &(*link)->next;
        *link = end;
        end->next = NULL;
        end->name = name;
        end->leave = leave;
        name->facts.instances++;
        win__pipe_listens(end);
    }
    plat_unlock(&lock);
    ReleaseSRWLockExclusive(&beginning);
    if (!used) {
        free_name(fresh);
    } else if (fd_watch(fresh->listener, comes, (void *)(uintptr_t)fresh->number)) {
        leave(end);
        error = ERROR_NOT_ENOUGH_MEMORY;
    }
    return error;
}

DWORD win__pipe_instances(const struct pipe_end *end)
{
    plat_lock(&lock);
    DWORD count = end->name ? end->name->facts.instances : 0;
    plat_unlock(&lock);
    return count;
}

void pipes_forget(void)
{
    plat_lock_forget(&lock);
    InitializeSRWLock(&beginning);
    for (struct pipe_name *name = names; name; name = name->next) {
        own_file_close(name->listener);
        name->listener = -1;
    }
    for (struct guest *guest = guests; guest; guest = guest->next)
        RAW1(SYS_close, guest->fd);
    names = NULL;
    guests = NULL;
}
