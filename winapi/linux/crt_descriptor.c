/* SPDX-License-Identifier: MIT
 *
 * crt_descriptor.c - between descriptors and handles: _get_osfhandle, _open_osfhandle.
 *
 * _get_osfhandle makes a handle for a descriptor at the first call. The handle does not own the
 * descriptor. A table keeps it by the descriptor's number; if the number means another file by now,
 * the call makes a new handle. _open_osfhandle gives the file to the descriptor: the program closes
 * the descriptor, and the handle is of no use then. The library does not see that close. So the
 * share mode ends when the descriptor is made, and a file that is to be deleted when it is closed
 * gets no descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/crt_descriptor.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_share.h"
#pragma GCC visibility push(default)
#include "winapi/include/io.h"
#pragma GCC visibility pop

struct known {
    HANDLE handle; /* NULL: none */
    dev_t device;
    ino_t inode;
    int flags;
};

static SRWLOCK lock = SRWLOCK_INIT;
static struct known *table; /* by descriptor */
static unsigned room;

void descriptors_forget(void)
{
    InitializeSRWLock(&lock);
}

static struct known *entry_of(unsigned fd)
{
    enum { STEP = 64 };
    if (fd >= room) {
        unsigned more = (fd / STEP + 1) * STEP;
        struct known *larger = realloc(table, more * sizeof *larger);
        if (!larger)
            return NULL;
        memset(larger + room, 0, (more - room) * sizeof *larger);
        table = larger;
        room = more;
    }
    return &table[fd];
}

static bool describe(int fd, struct known *now)
{
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &status))
        return false;
    *now = (struct known){NULL, status.st_dev, status.st_ino, flags & O_ACCMODE};
    return true;
}

static unsigned access_of(int flags)
{
    return (flags != O_WRONLY ? FILE_MAY_READ : 0) | (flags != O_RDONLY ? FILE_MAY_WRITE : 0);
}

static bool is_same(const struct known *known, const struct known *now)
{
    return known->handle && known->device == now->device && known->inode == now->inode &&
           known->flags == now->flags;
}

intptr_t _get_osfhandle(int descriptor)
{
    struct known now;
    if (descriptor < 0 || !describe(descriptor, &now)) {
        errno = EBADF;
        return -1;
    }
    AcquireSRWLockExclusive(&lock);
    struct known *known = entry_of((unsigned)descriptor);
    if (known && !is_same(known, &now)) {
        if (known->handle)
            CloseHandle(known->handle);
        now.handle = win__file_handle(descriptor, access_of(now.flags), true, NULL);
        *known = now;
    }
    HANDLE handle = known ? known->handle : NULL;
    ReleaseSRWLockExclusive(&lock);
    if (handle)
        return (intptr_t)handle;
    errno = ENOMEM;
    return -1;
}

int _open_osfhandle(intptr_t handle, int flags)
{
    struct file *file = win__file((HANDLE)handle);
    struct known now;
    if (!file || file->socket || file->named_pipe || !describe(file->fd, &now)) {
        if (file)
            object_drop(&file->object);
        errno = EBADF;
        return -1;
    }
    if (file->deletion) {
        object_drop(&file->object);
        errno = EINVAL;
        return -1;
    }
    int fd = file->fd;
    AcquireSRWLockExclusive(&lock);
    struct known *known = entry_of((unsigned)fd);
    if (known && !is_same(known, &now)) {
        if (known->handle)
            CloseHandle(known->handle);
        now.handle = (HANDLE)handle;
        *known = now;
    }
    file->borrowed = known || file->borrowed; /* from now on the program closes the descriptor */
    ReleaseSRWLockExclusive(&lock);
    if (known)
        win__share_leave(&file->share);
    object_drop(&file->object);
    if (!known) {
        errno = ENOMEM;
        return -1;
    }
    fcntl(fd, F_SETFD, flags & _O_NOINHERIT ? FD_CLOEXEC : 0);
    return fd;
}
