/* SPDX-License-Identifier: MIT
 *
 * file.c - file objects, and GetFileType.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/deletion.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_lock.h"
#include "winapi/linux/file_share.h"
#include "winapi/linux/overlapped.h"

static DWORD type_of(int fd, bool *is_socket)
{
    struct stat status;
    *is_socket = false;
    if (fstat(fd, &status))
        return FILE_TYPE_UNKNOWN;
    *is_socket = S_ISSOCK(status.st_mode);
    switch (status.st_mode & S_IFMT) {
    case S_IFCHR:
        return FILE_TYPE_CHAR;
    case S_IFIFO:
    case S_IFSOCK:
        return FILE_TYPE_PIPE;
    default:
        return FILE_TYPE_DISK;
    }
}

/* Called when the last reference is gone, on any thread, with no heap. So the peer of a socket or
 * pipe sees the end at once. */
static void let_go(struct object *object)
{
    struct file *file = (struct file *)object;
    if (file->ready.in_set)
        ready_end(&file->ready, file->fd);
    if (file->borrowed || file->deletion)
        return;
    if (plat_tls.thread)
        close(file->fd);
    else
        RAW1(SYS_close, file->fd);
}

static void destroy(struct object *object)
{
    struct file *file = (struct file *)object;
    if (file->deletion) {
        win__delete_now(file->deletion);
        if (!file->borrowed)
            close(file->fd);
    }
    win__share_leave(&file->share);
    win__locks_free(file);
    if (file->kind) {
        file->kind->end(file);
        if (file->kind->bytes)
            free(file->record);
    }
    struct packet_sink *sink = atomic_load_explicit(&file->sink, memory_order_relaxed);
    if (sink)
        sink->file_ends(sink);
    struct object *port = atomic_load_explicit(&file->port, memory_order_relaxed);
    if (port)
        object_drop(port);
}

/* The last handle is closed. Operations may keep the file longer. */
static void closed(struct object *object)
{
    struct file *file = (struct file *)object;
    overlapped_close(file);
    win__share_leave(&file->share);
    if (file->kind && file->kind->closed)
        file->kind->closed(file);
}

struct file *win__file_create(int fd, unsigned access, bool borrowed, char *delete_on_close)
{
    struct deletion *deletion =
        delete_on_close ? win__delete_later(delete_on_close, fd, true) : NULL;
    struct file *file =
        delete_on_close && !deletion ? NULL : object_create(OBJECT_FILE, sizeof *file);
    if (!file) {
        win__delete_never(deletion);
        if (!borrowed)
            close(fd);
        return NULL;
    }
    file->fd = fd;
    file->borrowed = borrowed;
    file->access = access;
    file->type = type_of(fd, &file->message_calls);
    file->deletion = deletion;
    file->console_mode = access & FILE_IS_CONSOLE_INPUT
                             ? ENABLE_PROCESSED_INPUT | ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT
                             : ENABLE_PROCESSED_OUTPUT | ENABLE_WRAP_AT_EOL_OUTPUT |
                                   ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    file->object.let_go = let_go;
    file->object.destroy = destroy;
    file->object.closed = closed;
    return file;
}

struct file *win__file_create_kind(int fd, unsigned access, const struct file_kind *kind)
{
    void *record = calloc(1, kind->bytes);
    struct file *file = record ? win__file_create(fd, access, fd < 0, NULL) : NULL;
    if (file) {
        file->kind = kind;
        file->record = record;
        return file;
    }
    if (!record && fd >= 0)
        close(fd);
    free(record);
    return NULL;
}

HANDLE win__file_publish(struct file *file)
{
    void *handle = NULL;
    if (file) {
        file->object.signal = !file->overlapped;
        if (handle_create(&file->object, &handle))
            handle = NULL;
        object_drop(&file->object);
    }
    if (!handle)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return handle;
}

HANDLE win__file_handle(int fd, unsigned access, bool borrowed, char *delete_on_close)
{
    return win__file_publish(win__file_create(fd, access, borrowed, delete_on_close));
}

void win__file_let_go(int fd)
{
    long nothing = RAW3(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (nothing < 0)
        return;
    RAW3(SYS_dup3, nothing, fd, O_CLOEXEC);
    RAW1(SYS_close, nothing);
}

struct file *win__file(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_FILE) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct file *)object;
}

struct file *win__file_for(HANDLE handle, unsigned access)
{
    struct file *file = win__file(handle);
    if (file && !(file->access & access)) {
        object_drop(&file->object);
        win__fail(ERROR_ACCESS_DENIED);
        return NULL;
    }
    return file;
}

DWORD WINAPI GetFileType(HANDLE hFile)
{
    struct file *file = win__file(hFile);
    if (!file)
        return FILE_TYPE_UNKNOWN;
    DWORD type = file->type;
    object_drop(&file->object);
    plat_set_last_error(ERROR_SUCCESS); /* FILE_TYPE_UNKNOWN may be no error */
    return type;
}
