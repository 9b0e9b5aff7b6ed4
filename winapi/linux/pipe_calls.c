/* SPDX-License-Identifier: MIT
 *
 * pipe_calls.c - CreateNamedPipe, ConnectNamedPipe, DisconnectNamedPipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/wake_file.h"
#include "winapi/linux/error.h"
#include "winapi/linux/overlapped.h"
#include "winapi/linux/pipe_server.h"
#include "winapi/linux/file_path.h"

/* ---- CreateNamedPipe ------------------------------------------------------------------------- */

static DWORD what_is_wrong(DWORD open_mode, DWORD pipe_mode, DWORD instances)
{
    enum {
        KNOWN_MODES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_NOWAIT |
                      PIPE_REJECT_REMOTE_CLIENTS /* no client is remote */
    };
    const DWORD known = PIPE_ACCESS_DUPLEX | FILE_FLAG_FIRST_PIPE_INSTANCE |
                        FILE_FLAG_WRITE_THROUGH | FILE_FLAG_OVERLAPPED | WRITE_DAC |
                        ACCESS_SYSTEM_SECURITY;
    bool bad = open_mode & ~known || !(open_mode & PIPE_ACCESS_DUPLEX) ||
               pipe_mode & ~(DWORD)KNOWN_MODES || !instances ||
               instances > PIPE_UNLIMITED_INSTANCES ||
               (pipe_mode & PIPE_READMODE_MESSAGE && !(pipe_mode & PIPE_TYPE_MESSAGE));
    return bad ? ERROR_INVALID_PARAMETER : 0;
}

/* Makes a name that this process may get; takes over the key. NULL with an error. */
static struct pipe_name *new_name(char *key, DWORD *error)
{
    struct pipe_name *name = calloc(1, sizeof *name);
    long listener = RAW3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (name && listener >= 0) {
        name->key = key;
        name->listener = fd_move_high((int)listener);
        return name;
    }
    *error = name ? win__error_of((int)-listener) : ERROR_NOT_ENOUGH_MEMORY;
    if (listener >= 0)
        RAW1(SYS_close, listener);
    free(name);
    free(key);
    return NULL;
}

/* Makes an end that is not listening yet. */
static struct file *new_end(DWORD open_mode, DWORD pipe_mode, const struct pipe_facts *facts)
{
    unsigned access = (open_mode & PIPE_ACCESS_INBOUND ? FILE_MAY_READ : 0) |
                      (open_mode & PIPE_ACCESS_OUTBOUND ? FILE_MAY_WRITE : 0) | FILE_MAY_SET;
    struct file *file = win__pipe_file(-1, access, facts);
    if (!file)
        return NULL;
    struct pipe_end *end = win__pipe_end(file);
    file->overlapped = open_mode & FILE_FLAG_OVERLAPPED;
    end->mode = pipe_mode & (PIPE_READMODE_MESSAGE | PIPE_NOWAIT);
    end->ready = wake_file_open(O_NONBLOCK);
    if (end->ready >= 0)
        return file;
    object_drop(&file->object);
    return NULL;
}

/* Another process has the name. The error says whether its limit of instances is reached, or it
 * keeps other processes out. */
static DWORD why_refused(const char *key, bool first)
{
    struct pipe_facts facts;
    DWORD error = first ? ERROR_ACCESS_DENIED : win__pipe_query(key, &facts);
    bool full = !error && facts.limit != PIPE_UNLIMITED_INSTANCES && facts.instances >= facts.limit;
    return full ? ERROR_PIPE_BUSY : ERROR_ACCESS_DENIED;
}

HANDLE WINAPI CreateNamedPipeA(LPCSTR lpName, DWORD dwOpenMode, DWORD dwPipeMode,
                               DWORD nMaxInstances, DWORD nOutBufferSize, DWORD nInBufferSize,
                               DWORD nDefaultTimeOut, LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    (void)lpSecurityAttributes; /* a server's end is never inherited as a standard handle */
    enum { DEFAULT_TIME_OUT = 50 };
    struct pipe_facts facts = {dwOpenMode & PIPE_ACCESS_DUPLEX,
                               nMaxInstances,
                               nOutBufferSize,
                               nInBufferSize,
                               nDefaultTimeOut ? nDefaultTimeOut : DEFAULT_TIME_OUT,
                               0,
                               dwPipeMode & PIPE_TYPE_MESSAGE};
    char *key = win__pipe_key(lpName), *asked = NULL;
    DWORD error = key ? what_is_wrong(dwOpenMode, dwPipeMode, nMaxInstances) : GetLastError();
    struct file *file = error ? NULL : new_end(dwOpenMode, dwPipeMode, &facts);
    if (!error && (!file || !(asked = strdup(key))))
        error = ERROR_NOT_ENOUGH_MEMORY;
    struct pipe_name *name = error ? NULL : new_name(asked, &error);
    bool first = dwOpenMode & FILE_FLAG_FIRST_PIPE_INSTANCE;
    if (name)
        error = win__pipe_instance(win__pipe_end(file), name, first);
    if (error == ERROR_ALREADY_EXISTS)
        error = why_refused(key, first);
    free(key);
    if (error && file)
        object_drop(&file->object);
    HANDLE handle = error ? NULL : win__file_publish(file);
    if (error)
        win__fail(error);
    return handle ? handle : INVALID_HANDLE_VALUE;
}

HANDLE WINAPI CreateNamedPipeW(LPCWSTR lpName, DWORD dwOpenMode, DWORD dwPipeMode,
                               DWORD nMaxInstances, DWORD nOutBufferSize, DWORD nInBufferSize,
                               DWORD nDefaultTimeOut, LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    char *name = win__name(lpName);
    HANDLE handle = INVALID_HANDLE_VALUE;
    if (name)
        handle = CreateNamedPipeA(name, dwOpenMode, dwPipeMode, nMaxInstances, nOutBufferSize,
                                  nInBufferSize, nDefaultTimeOut, lpSecurityAttributes);
    free(name);
    return handle;
}

/* ---- ConnectNamedPipe ------------------------------------------------------------------------ */

/* 0: the instance listens, and the caller waits for a client. Else the error of the call. */
static DWORD begin_to_listen(struct pipe_end *end)
{
    bool waits = !(end->mode & PIPE_NOWAIT);
    DWORD error = 0;
    win__pipes_lock();
    if (!end->name)
        error = ERROR_INVALID_HANDLE; /* closed meanwhile, or in a fork's child */
    else if (end->state == PIPE_CONNECTED)
        error = win__pipe_is_over(end->link->fd) ? ERROR_NO_DATA : ERROR_PIPE_CONNECTED;
    else if (end->state == PIPE_DISCONNECTED)
        win__pipe_listens(end);
    else if (!waits)
        error = ERROR_PIPE_LISTENING;
    win__pipes_unlock();
    return error;
}

/* A client has connected, or the last handle is closed. */
static bool has_come(struct operation *operation, long result)
{
    if (result < 0)
        operation->error = win__error_of((int)-result);
    else if (__atomic_load_n(&operation->file->closed, __ATOMIC_ACQUIRE))
        operation->error = ERROR_OPERATION_ABORTED;
    return true;
}

/* Takes over the reference. */
static DWORD wait_overlapped(struct file *file, OVERLAPPED *overlapped)
{
    struct operation *operation;
    DWORD bytes;
    int error = operation_create(file, overlapped, NULL, 0, &operation);
    if (error) {
        object_drop(&file->object);
        return (DWORD)error;
    }
    operation->call.kind = ASYNC_POLL;
    operation->call.fd = win__pipe_end(file)->ready;
    operation->call.flags = POLLIN;
    operation->direction = IN_ANY_ORDER;
    operation->step = has_come;
    error = operation_begin(operation, &bytes);
    return error ? (DWORD)error : ERROR_IO_PENDING; /* at once: the packet is on its way */
}

static DWORD wait_here(struct file *file)
{
    struct pipe_end *end = win__pipe_end(file);
    struct pollfd ready = {end->ready, POLLIN, 0};
    int done;
    struct sync_call outer = sync_call_begin(&file->object);
    do
        done = poll(&ready, 1, -1);
    while (done < 0 && sync_call_again());
    sync_call_end(&outer);
    if (done < 0)
        return win__error_of(errno);
    plat_lock(&file->pending_lock);
    bool closed = file->closed;
    plat_unlock(&file->pending_lock);
    return closed ? ERROR_OPERATION_ABORTED : 0;
}

BOOL WINAPI ConnectNamedPipe(HANDLE hNamedPipe, LPOVERLAPPED lpOverlapped)
{
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    struct pipe_end *end = win__pipe_end(file);
    DWORD error = end->ready < 0 ? ERROR_INVALID_FUNCTION : begin_to_listen(end);
    bool waits = !error && !(end->mode & PIPE_NOWAIT);
    if (waits && file->overlapped && lpOverlapped)
        return win__result((int)wait_overlapped(file, lpOverlapped));
    if (waits)
        error = wait_here(file);
    object_drop(&file->object);
    return win__result((int)error);
}

BOOL WINAPI DisconnectNamedPipe(HANDLE hNamedPipe)
{
    static const uint64_t one = 1;
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    struct pipe_end *end = win__pipe_end(file);
    struct pipe_link *link = NULL;
    DWORD error = 0;
    win__pipes_lock();
    if (end->ready < 0)
        error = ERROR_INVALID_FUNCTION;
    else if (end->state != PIPE_CONNECTED)
        error = end->state == PIPE_LISTENING ? ERROR_PIPE_LISTENING : ERROR_PIPE_NOT_CONNECTED;
    if (!error) {
        plat_lock(&file->pending_lock);
        link = end->link;
        end->link = NULL;
        end->state = PIPE_DISCONNECTED;
        file->fd = -1;
        plat_unlock(&file->pending_lock);
    }
    win__pipes_unlock();
    if (link) { /* first the sign of a disconnection, then the close */
        RAW3(SYS_write, link->parting, &one, sizeof one);
        RAW2(SYS_shutdown, link->fd, SHUT_RDWR);
        object_drop(&link->object);
    }
    object_drop(&file->object);
    return win__result((int)error);
}
