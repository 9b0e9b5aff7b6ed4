/* SPDX-License-Identifier: MIT
 *
 * file.c - file objects, and what kind of thing lies behind one.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_lock.h"
#include "winapi/linux/file_share.h"

static DWORD type_of(int fd)
{
    struct stat status;
    if (fstat(fd, &status))
        return FILE_TYPE_UNKNOWN;
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

static void destroy(struct object *object)
{
    struct file *file = (struct file *)object;
    if (file->delete_on_close)
        win__delete_closed(file->delete_on_close, file->fd);
    free(file->delete_on_close);
    win__share_leave(file->share);
    win__locks_free(file);
    if (!file->borrowed)
        close(file->fd);
}

static HANDLE handle_of(int fd, unsigned access, bool borrowed, char *delete_on_close,
                        struct file_share *share)
{
    void *handle = NULL;
    struct file *file = object_create(OBJECT_FILE, sizeof *file);
    if (!file) {
        free(delete_on_close);
        win__share_leave(share);
        if (!borrowed)
            close(fd);
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    file->fd = fd;
    file->borrowed = borrowed;
    file->access = access;
    file->type = type_of(fd);
    file->delete_on_close = delete_on_close;
    file->share = share;
    file->locks = NULL;
    file->console_mode = access & FILE_IS_CONSOLE_INPUT
                             ? ENABLE_PROCESSED_INPUT | ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT
                             : ENABLE_PROCESSED_OUTPUT | ENABLE_WRAP_AT_EOL_OUTPUT |
                                   ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    file->object.destroy = destroy;
    file->object.signal = 1;
    if (handle_create(&file->object, &handle)) {
        handle = NULL;
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    object_drop(&file->object);
    return handle;
}

HANDLE win__file_handle(int fd, unsigned access, bool borrowed, char *delete_on_close)
{
    return handle_of(fd, access, borrowed, delete_on_close, NULL);
}

HANDLE win__shared_file_handle(int fd, unsigned access, char *delete_on_close,
                               struct file_share *share)
{
    return handle_of(fd, access, false, delete_on_close, share);
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
    plat_set_last_error(ERROR_SUCCESS); /* unknown may be the answer */
    return type;
}
