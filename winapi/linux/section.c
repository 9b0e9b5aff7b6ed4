/* SPDX-License-Identifier: MIT
 *
 * section.c - sections, which CreateFileMapping makes, with or without a file.
 *
 * A section without a file has a memory file (memfd), so its views, and a fork's child, share it as
 * they share a file. With SEC_RESERVE the memory file also has, behind the pages, bytes that say
 * which pages are committed: so these are shared, too. A call that makes a file larger allocates
 * its blocks at once: a full disk is an error of this call and no fault in a view. Images are
 * refused with ERROR_NOT_SUPPORTED. Large pages are refused with ERROR_PRIVILEGE_NOT_HELD, as on
 * Windows without that privilege.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/dispatch/sealed_file.h"
#include "platform/linux/os/own_files.h"
#include "winapi/linux/error.h"
#include "winapi/linux/section.h"

static struct section *with_files; /* under regions_lock */

/* Frees the section's own memory, if it has any. */
static void drop_memory(struct section *section)
{
    if (section->committed)
        munmap(section->committed, page_up(section->size / PAGE_BYTES));
    if (section->fd >= 0 && !section->file)
        own_file_close(section->fd);
    section->committed = NULL;
    section->fd = -1;
}

/* The last handle is closed. Views keep the memory, but the name ends. */
static void closed(struct object *object)
{
    struct section *section = (struct section *)object;
    if (section->name)
        shared_name_leave(section->name);
}

static void destroy(struct object *object)
{
    struct section *section = (struct section *)object;
    if (section->name)
        shared_name_end(section->name); /* before its descriptor: others find it by that */
    drop_memory(section);
    if (!section->file)
        return;
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

/* 0, or the error of a section that cannot be. */
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

/* Makes a file larger. If that fails, the file has its old size. */
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

void section_of_file(struct section *section, struct file *file, dev_t device, ino_t inode)
{
    section->fd = file->fd;
    section->device = device;
    section->inode = inode;
    plat_lock(&regions_lock);
    section->next = with_files;
    with_files = section;
    plat_unlock(&regions_lock);
    section->file = file;
}

/* Makes it a section of a file, and holds the file if that succeeds. */
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
        error = ERROR_BAD_EXE_FORMAT; /* only a plain file has pages */
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
    section_of_file(section, file, status.st_dev, status.st_ino);
    return 0;
}

DWORD section_map_committed(struct section *section)
{
    void *bytes = mmap(NULL, page_up(section->size / PAGE_BYTES), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, section->fd, (off_t)section->size);
    if (bytes == MAP_FAILED)
        return ERROR_NOT_ENOUGH_MEMORY;
    section->committed = bytes;
    return 0;
}

static DWORD take_memory(struct section *section, bool reserved)
{
    if (!section->size)
        return ERROR_INVALID_PARAMETER;
    section->size = page_up(section->size);
    section->fd = fd_move_high(memfd_create("section", MFD_CLOEXEC));
    if (section->fd < 0)
        return win__error_of(errno);
    uint64_t behind = reserved ? page_up(section->size / PAGE_BYTES) : 0;
    if (section->size + behind > INT64_MAX || file_size_limited(section->size + behind) ||
        ftruncate(section->fd, (off_t)(section->size + behind)))
        return ERROR_NOT_ENOUGH_MEMORY;
    return reserved ? section_map_committed(section) : 0;
}

struct section *section_new(void)
{
    struct section *section = object_create(OBJECT_SECTION, sizeof *section);
    if (!section)
        return NULL;
    section->fd = -1;
    section->object.signal = 1; /* signalled, so that a wait is refused at once */
    section->object.closed = closed;
    section->object.destroy = destroy;
    return section;
}

struct object *section_make(HANDLE file, DWORD protect, DWORD high, DWORD low)
{
    DWORD kind = protect & ~(DWORD)0xff;
    bool with_file = file && file != INVALID_HANDLE_VALUE; /* NULL means no file, as on Windows */
    uint64_t size = (uint64_t)high << 32 | low;
    DWORD error = refusal(protect & 0xff, kind, with_file);
    if (!error && size > INT64_MAX)
        error = ERROR_INVALID_PARAMETER;
    struct section *section = error ? NULL : section_new();
    if (!section) {
        win__fail(error ? error : ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    section->protect = protect & 0xff;
    section->size = size;
    error = with_file ? take_file(section, file) : take_memory(section, kind == SEC_RESERVE);
    if (!error)
        return &section->object;
    object_drop(&section->object);
    win__fail(error);
    return NULL;
}
