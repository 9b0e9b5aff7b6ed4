/* SPDX-License-Identifier: MIT
 *
 * pipe_client.c - the client's side of named pipes: CreateFile of \\.\pipe\NAME, WaitNamedPipe.
 *
 * These functions wait for the server's answer in the library's fronts of libc's calls: a worker
 * gives its scheduler the processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/own_files.h"
#include "winapi/linux/error.h"
#include "winapi/linux/pipe.h"
#include "winapi/linux/file_path.h"

/* ---- Requests -------------------------------------------------------------------------------- */

/* Connects to the process that has the name, if it is the same user's. -1 with *error. */
static int reach(const char *key, struct ucred *server, DWORD *error)
{
    struct sockaddr_un address;
    unsigned length = win__pipe_address(key, &address);
    socklen_t bytes = sizeof *server;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), done = -1;
    while (fd >= 0 && (done = connect(fd, (const struct sockaddr *)&address, length)) &&
           sync_call_again())
        continue;
    *error = 0;
    if (fd < 0 || done)
        *error = fd >= 0 && errno == ECONNREFUSED ? ERROR_FILE_NOT_FOUND : win__error_of(errno);
    else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, server, &bytes) || server->uid != geteuid())
        *error = ERROR_ACCESS_DENIED;
    if (!*error)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool ask(int fd, enum pipe_wish wish, unsigned access)
{
    struct pipe_request request = {PIPE_MAGIC, wish, access};
    ssize_t sent;
    do
        sent = send(fd, &request, sizeof request, MSG_NOSIGNAL);
    while (sent < 0 && sync_call_again());
    return sent == sizeof request;
}

/* The error in the server's answer. If the server closes the connection instead, the name has
 * ended. Descriptors that come with the answer go to gifts[], unless that is NULL. */
static DWORD hear(int fd, struct pipe_facts *facts, int gifts[GIFTS])
{
    struct pipe_answer text;
    struct iovec part = {&text, sizeof text};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(GIFTS * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (gifts) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    ssize_t got;
    do
        got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && sync_call_again());
    if (got != sizeof text || text.magic != PIPE_MAGIC)
        return ERROR_FILE_NOT_FOUND;
    *facts = text.facts;
    if (text.error || !gifts)
        return text.error;
    struct cmsghdr *came = CMSG_FIRSTHDR(&message);
    bool all = came && came->cmsg_level == SOL_SOCKET && came->cmsg_type == SCM_RIGHTS &&
               came->cmsg_len == CMSG_LEN(GIFTS * sizeof(int));
    if (all)
        memcpy(gifts, CMSG_DATA(came), GIFTS * sizeof(int));
    else if (came && came->cmsg_len >= CMSG_LEN(sizeof(int)))
        close(*(int *)CMSG_DATA(came)); /* there was no number for the second one */
    return all ? 0 : ERROR_TOO_MANY_OPEN_FILES;
}

/* Waits until the server closes the connection. Before that it closes its copy of the socket that
 * it gave: with that copy open, its instance would not see that the client has closed. */
static void hear_the_end(int fd)
{
    char byte;
    while (recv(fd, &byte, sizeof byte, 0) < 0 && errno == EINTR)
        continue;
}

DWORD win__pipe_query(const char *key, struct pipe_facts *facts)
{
    struct ucred server;
    DWORD error;
    int fd = reach(key, &server, &error);
    if (fd < 0)
        return error;
    error = ask(fd, PIPE_QUERY, 0) ? hear(fd, facts, NULL) : ERROR_FILE_NOT_FOUND;
    close(fd);
    return error;
}

/* ---- CreateFile ------------------------------------------------------------------------------ */

/* Makes the client's end. Takes over both descriptors, and the key. NULL: no memory. */
static struct file *new_end(const int gifts[GIFTS], unsigned access, const struct pipe_facts *facts,
                            char *key)
{
    int fd = gifts[GIFT_SOCKET], parting = fd_move_high(gifts[GIFT_PARTING]);
    struct file *file = win__pipe_file(fd, access, facts);
    struct pipe_link *link = file ? win__pipe_link(fd, parting, false, facts->messages) : NULL;
    if (!link) {
        own_file_close(parting);
        free(key);
        if (file)
            object_drop(&file->object);
        return NULL;
    }
    struct pipe_end *end = win__pipe_end(file);
    end->key = key;
    end->link = link;
    end->state = PIPE_CONNECTED;
    return file;
}

HANDLE win__pipe_open(LPCSTR path, unsigned access, DWORD disposition, DWORD flags, bool inherited)
{
    struct ucred server;
    struct pipe_facts facts;
    int fd = -1, gifts[GIFTS];
    char *key = win__pipe_key(path);
    DWORD error = key ? 0 : GetLastError();
    if (!error && disposition != OPEN_EXISTING && disposition != OPEN_ALWAYS)
        error = ERROR_ACCESS_DENIED; /* only CreateNamedPipe makes pipes */
    if (!error)
        fd = reach(key, &server, &error);
    if (!error)
        error = ask(fd, PIPE_OPEN, access) ? hear(fd, &facts, gifts) : ERROR_FILE_NOT_FOUND;
    if (!error)
        hear_the_end(fd);
    if (fd >= 0)
        close(fd);
    if (error) {
        free(key);
        win__fail(error);
        return INVALID_HANDLE_VALUE;
    }
    if (inherited)
        fcntl(gifts[GIFT_SOCKET], F_SETFD, 0);
    struct file *file = new_end(gifts, access, &facts, key);
    if (file) {
        file->overlapped = flags & FILE_FLAG_OVERLAPPED;
        win__pipe_end(file)->link->peer = (DWORD)server.pid;
    }
    HANDLE handle = win__file_publish(file);
    if (!handle)
        return INVALID_HANDLE_VALUE;
    plat_set_last_error(disposition == OPEN_ALWAYS ? ERROR_ALREADY_EXISTS : ERROR_SUCCESS);
    return handle;
}

/* ---- WaitNamedPipe --------------------------------------------------------------------------- */

/* Waits until the server has answered. */
static DWORD wait_until(int fd, uint64_t deadline)
{
    struct pollfd ready = {fd, POLLIN, 0};
    DWORD error = ERROR_IO_PENDING;
    while (error == ERROR_IO_PENDING) {
        struct timespec left = {0, 0};
        uint64_t now = plat_now();
        if (deadline != PLAT_FOREVER && now < deadline) {
            left.tv_sec = (time_t)((deadline - now) / 1000000000u);
            left.tv_nsec = (long)((deadline - now) % 1000000000u);
        }
        int done = ppoll(&ready, 1, deadline == PLAT_FOREVER ? NULL : &left, NULL);
        if (done > 0)
            error = 0;
        else if (done < 0 && !sync_call_again())
            error = win__error_of(errno);
        else if (!done && plat_now() >= deadline)
            error = ERROR_SEM_TIMEOUT;
    }
    return error;
}

static DWORD wait_for(const char *key, DWORD timeout)
{
    struct ucred server;
    struct pipe_facts facts;
    uint64_t began = plat_now();
    DWORD error;
    int fd = reach(key, &server, &error);
    if (fd < 0)
        return error;
    error = ask(fd, PIPE_WAIT_FOR, 0) ? hear(fd, &facts, NULL) : ERROR_FILE_NOT_FOUND;
    if (error == ERROR_PIPE_BUSY) {
        DWORD milliseconds = timeout == NMPWAIT_USE_DEFAULT_WAIT ? facts.default_wait : timeout;
        error = wait_until(fd, timeout == NMPWAIT_WAIT_FOREVER
                                   ? PLAT_FOREVER
                                   : began + (uint64_t)milliseconds * 1000000u);
        if (!error)
            error = hear(fd, &facts, NULL);
    }
    close(fd);
    return error;
}

BOOL WINAPI WaitNamedPipeA(LPCSTR lpNamedPipeName, DWORD nTimeOut)
{
    char *key = win__pipe_key(lpNamedPipeName);
    if (!key)
        return FALSE;
    struct sync_call outer = sync_call_begin(NULL);
    DWORD error = wait_for(key, nTimeOut);
    if (error && sync_call_asked())
        error = ERROR_OPERATION_ABORTED;
    sync_call_end(&outer);
    free(key);
    return win__result((int)error);
}

BOOL WINAPI WaitNamedPipeW(LPCWSTR lpNamedPipeName, DWORD nTimeOut)
{
    char *name = win__name(lpNamedPipeName);
    BOOL there = name && WaitNamedPipeA(name, nTimeOut);
    free(name);
    return there;
}
