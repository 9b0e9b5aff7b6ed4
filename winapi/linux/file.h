/* SPDX-License-Identifier: MIT
 *
 * file.h - files, pipes and terminals as objects. They are always signalled: every call on them has
 * ended when it returns.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_H
#define UMSSHIM_WINAPI_LINUX_FILE_H

#include "winapi/linux/surface.h"

enum file_access {
    FILE_MAY_READ = 1,
    FILE_MAY_WRITE = 2,
    FILE_IS_CONSOLE_INPUT = 4,
    FILE_MAY_EXECUTE = 8,
    FILE_MAY_SET = 16, /* attributes and times */
    FILE_MAY_DELETE = 32,
    FILE_CONTENT = FILE_MAY_READ | FILE_MAY_WRITE | FILE_MAY_EXECUTE,
};

struct file_share;
struct file_lock;

struct file {
    struct object object;
    int fd;
    bool borrowed;            /* a standard descriptor: not ours to close */
    unsigned access;          /* enum file_access */
    DWORD type;               /* FILE_TYPE_* */
    char *delete_on_close;    /* path without links, or NULL */
    struct file_share *share; /* or NULL: it keeps nobody out (file_share.h) */
    struct file_lock *locks;  /* of LockFile (file_lock.c) */
    _Atomic DWORD console_mode;
};

/* A handle for a descriptor, which the file owns from then on unless it is borrowed. NULL: the last
 * error is set and the descriptor closed, if not borrowed. */
HANDLE win__file_handle(int fd, unsigned access, bool borrowed, char *delete_on_close);
/* The same for a file that has entered its share mode; the entry is the file's from then on. */
HANDLE win__shared_file_handle(int fd, unsigned access, char *delete_on_close,
                               struct file_share *share);

/* The file behind a handle with a reference (object_drop), or NULL with ERROR_INVALID_HANDLE. */
struct file *win__file(HANDLE handle);
/* The same if it may be accessed this way, else ERROR_ACCESS_DENIED. */
struct file *win__file_for(HANDLE handle, unsigned access);

/* Deletes what was opened as fd from its path, unless something else has that by now. */
void win__delete_closed(const char *path, int fd);

/* All of it, as blocking writes on Windows do; what was written goes to *written in any case. */
BOOL win__write_all(struct file *file, const void *bytes, DWORD count, DWORD *written);

#endif
