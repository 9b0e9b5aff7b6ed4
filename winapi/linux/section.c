/* SPDX-License-Identifier: MIT
 *
 * section.c - CreateFileMapping, OpenFileMapping.
 *
 * Memory without a file is a memory file (memfd), so views of it, and a fork's child, share it as
 * they share a file. A file that is to be larger than it is gets its blocks here: a full disk is an
 * error of this call and no fault in a view. Images are refused with ERROR_NOT_SUPPORTED, and large
 * pages with ERROR_PRIVILEGE_NOT_HELD, as to any program on Windows that did not ask for that
 * privilege.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/own_files.h"
#include "winapi/linux/error.h"
#include "winapi/linux/section.h"

static struct section *with_files; /* under regions_lock */

static void destroy(struct object *object)
{
    struct section *section = (struct section *)object;
    if (!section->file) {
        if (section->fd >= 0)
            own_file_close(section->fd);
        if (section->committed)
            munmap(section->committed, page_up(section->size / PAGE_BYTES));
        return;
    }
    plat_lock(&regions_lock);
    for (struct section **link = &with_files; *link; link = &(*link)->next)
        if (*link == section) {
            *link = section->next;
            break;
        }
    plat_unlock(&regions_lock);
    object_drop(&section->file->object);
}

bool win__mapped_beyond(int fd, off_t size)
{
    struct stat status;
    bool beyond = false;
    if (fstat(fd, &status))
        return false;
    plat_lock(&regions_lock);
    for (struct section *section = with_files; section && !beyond; section = section->next)
        beyond = section->inode == status.st_ino && section->device == status.st_dev &&
                 section->size > (uint64_t)size;
    plat_unlock(&regions_lock);
    return beyond;
}

struct section *win__section(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_SECTION) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct section *)object;
}

static bool writes_to_file(DWORD protect)
{
    return protect == PAGE_READWRITE || protect == PAGE_EXECUTE_READWRITE;
}

/* 0, or why there is no such section. */
static DWORD refusal(DWORD protect, DWORD kind, bool with_file)
{
    switch (protect) {
    case PAGE_READONLY:
    case PAGE_READWRITE:
    case PAGE_WRITECOPY:
    case PAGE_EXECUTE_READ:
    case PAGE_EXECUTE_READWRITE:
    case PAGE_EXECUTE_WRITECOPY:
        break;
    default:
        return ERROR_INVALID_PARAMETER;
    }
    if (kind & SEC_IMAGE)
        return with_file ? ERROR_NOT_SUPPORTED : ERROR_INVALID_PARAMETER;
    if (kind == (SEC_LARGE_PAGES | SEC_COMMIT))
        return with_file ? ERROR_INVALID_PARAMETER : ERROR_PRIVILEGE_NOT_HELD;
    return kind && kind != SEC_COMMIT && kind != SEC_RESERVE ? ERROR_INVALID_PARAMETER : 0;
}

/* Makes a file larger; its size is as before where that fails. */
static DWORD grow(int fd, off_t before, off_t size)
{
    if (!fallocate(fd, 0, before, size - before))
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS) {
        DWORD error = win__error_of(errno);
        return ftruncate(fd, before) ? ERROR_DISK_FULL : error;
    }
    return ftruncate(fd, size) ? win__error_of(errno) : 0;
}

/* The section of a file. Holds the file where it succeeds. */
static DWORD take_file(struct section *section, HANDLE handle)
{
    struct file *file = win__file(handle);
    if (!file)
        return ERROR_INVALID_HANDLE;
    unsigned wanted = FILE_MAY_READ | (writes_to_file(section->protect) ? FILE_MAY_WRITE : 0) |
                      (section->protect >= PAGE_EXECUTE ? FILE_MAY_EXECUTE : 0);
    struct stat status;
    DWORD error = 0;
    if (fstat(file->fd, &status))
        error = win__error_of(errno);
    else if (!S_ISREG(status.st_mode))
        error = ERROR_BAD_EXE_FORMAT; /* nothing that has pages */
    else if ((file->access & wanted) != wanted)
        error = ERROR_ACCESS_DENIED;
    else if (!section->size && !status.st_size)
        error = ERROR_FILE_INVALID;
    else if (section->size > (uint64_t)status.st_size)
        error = writes_to_file(section->protect)
                    ? grow(file->fd, status.st_size, (off_t)section->size)
                    : ERROR_NOT_ENOUGH_MEMORY;
    if (error) {
        object_drop(&file->object);
        return error;
    }
    if (!section->size)
        section->size = (uint64_t)status.st_size;
    section->fd = file->fd;
    section->device = status.st_dev;
    section->inode = status.st_ino;
    plat_lock(&regions_lock);
    section->next = with_files;
    with_files = section;
    plat_unlock(&regions_lock);
    section->file = file;
    return 0;
}

static DWORD take_memory(struct section *section, bool reserved)
{
    if (!section->size)
        return ERROR_INVALID_PARAMETER;
    section->size = page_up(section->size);
    if (reserved && !(section->committed = plat_reserve(section->size / PAGE_BYTES)))
        return ERROR_NOT_ENOUGH_MEMORY;
    section->fd = fd_move_high(memfd_create("section", MFD_CLOEXEC));
    if (section->fd < 0)
        return win__error_of(errno);
    return ftruncate(section->fd, (off_t)section->size) ? ERROR_NOT_ENOUGH_MEMORY : 0;
}

/* With one reference, or NULL and the last error. */
static struct object *make(HANDLE file, DWORD protect, DWORD high, DWORD low)
{
    DWORD kind = protect & ~(DWORD)0xff;
    bool with_file = file && file != INVALID_HANDLE_VALUE; /* NULL means none, as on Windows */
    uint64_t size = (uint64_t)high << 32 | low;
    DWORD error = refusal(protect & 0xff, kind, with_file);
    if (!error && size > INT64_MAX)
        error = ERROR_INVALID_PARAMETER;
    struct section *section = error ? NULL : object_create(OBJECT_SECTION, sizeof *section);
    if (!section) {
        win__fail(error ? error : ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    section->fd = -1;
    section->protect = protect & 0xff;
    section->size = size;
    section->object.signal = 1; /* a wait is refused at once, and waits for nothing */
    section->object.destroy = destroy;
    error = with_file ? take_file(section, file) : take_memory(section, kind == SEC_RESERVE);
    if (!error)
        return &section->object;
    object_drop(&section->object);
    win__fail(error);
    return NULL;
}

HANDLE WINAPI CreateFileMappingA(HANDLE hFile, LPSECURITY_ATTRIBUTES lpAttributes, DWORD flProtect,
                                 DWORD dwMaximumSizeHigh, DWORD dwMaximumSizeLow, LPCSTR lpName)
{
    (void)lpAttributes;
    struct object *section = make(hFile, flProtect, dwMaximumSizeHigh, dwMaximumSizeLow);
    return section ? win__create_named(section, FAMILY_SECTION, lpName) : NULL;
}

HANDLE WINAPI CreateFileMappingW(HANDLE hFile, LPSECURITY_ATTRIBUTES lpAttributes, DWORD flProtect,
                                 DWORD dwMaximumSizeHigh, DWORD dwMaximumSizeLow, LPCWSTR lpName)
{
    (void)lpAttributes;
    struct object *section = make(hFile, flProtect, dwMaximumSizeHigh, dwMaximumSizeLow);
    return section ? win__create_named_w(section, FAMILY_SECTION, lpName) : NULL;
}

HANDLE WINAPI OpenFileMappingA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_SECTION, lpName);
}

HANDLE WINAPI OpenFileMappingW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_SECTION, lpName);
}
