/* SPDX-License-Identifier: MIT
 *
 * section_shared.c - CreateFileMapping, OpenFileMapping: sections that the processes of one user
 * share by their names (shared_name.h). A process opens the section's file or memory file anew,
 * with the access that the section's protection needs.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/own_files.h"
#include "winapi/linux/error.h"
#include "winapi/linux/section.h"

struct shared_section {
    uint64_t size;
    uint32_t protect;
    bool reserved, with_file;
};
_Static_assert(sizeof(struct shared_section) <= SHARED_OWN, "it fits");

static bool writes(DWORD protect)
{
    return protect == PAGE_READWRITE || protect == PAGE_EXECUTE_READWRITE;
}

static void describe(const struct object *object, struct shared_object *shared)
{
    const struct section *section = (const struct section *)object;
    struct shared_section state = {.size = section->size,
                                   .protect = section->protect,
                                   .reserved = section->committed != NULL,
                                   .with_file = section->file != NULL};
    shared->fd = section->fd;
    shared->high = !section->file;
    shared->flags = !section->file || writes(section->protect) ? O_RDWR : O_RDONLY;
    memcpy(shared->own, &state, sizeof state);
}

static void named(struct object *object, struct shared_name *name)
{
    ((struct section *)object)->name = name;
}

/* Makes it a section of this file. Takes over the descriptor. 0 or a Win32 error. */
static DWORD use_file(struct section *section, int fd)
{
    struct stat status;
    unsigned access = FILE_MAY_READ | (writes(section->protect) ? FILE_MAY_WRITE : 0) |
                      (section->protect >= PAGE_EXECUTE ? FILE_MAY_EXECUTE : 0);
    if (fstat(fd, &status)) {
        close(fd);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    struct file *file = win__file_create(fd, access, false, NULL);
    if (!file)
        return ERROR_NOT_ENOUGH_MEMORY;
    section_of_file(section, file, status.st_dev, status.st_ino);
    return 0;
}

static struct object *join(const struct shared_object *shared, int *error)
{
    struct section *section = section_new();
    struct shared_section state;
    memcpy(&state, shared->own, sizeof state);
    *error = ERROR_NOT_ENOUGH_MEMORY;
    if (!section) {
        if (shared->high)
            own_file_close(shared->fd);
        else
            close(shared->fd);
        return NULL;
    }
    section->protect = state.protect;
    section->size = state.size;
    if (state.with_file) {
        *error = (int)use_file(section, shared->fd);
    } else {
        section->fd = shared->fd;
        *error = state.reserved ? (int)section_map_committed(section) : 0;
    }
    return &section->object;
}

static const struct name_sharing sharing = {FAMILY_SECTION, describe, named, join};

HANDLE WINAPI CreateFileMappingA(HANDLE hFile, LPSECURITY_ATTRIBUTES lpAttributes, DWORD flProtect,
                                 DWORD dwMaximumSizeHigh, DWORD dwMaximumSizeLow, LPCSTR lpName)
{
    (void)lpAttributes;
    struct object *section = section_make(hFile, flProtect, dwMaximumSizeHigh, dwMaximumSizeLow);
    return section ? win__create_shared(section, &sharing, lpName) : NULL;
}

HANDLE WINAPI CreateFileMappingW(HANDLE hFile, LPSECURITY_ATTRIBUTES lpAttributes, DWORD flProtect,
                                 DWORD dwMaximumSizeHigh, DWORD dwMaximumSizeLow, LPCWSTR lpName)
{
    (void)lpAttributes;
    struct object *section = section_make(hFile, flProtect, dwMaximumSizeHigh, dwMaximumSizeLow);
    return section ? win__create_shared_w(section, &sharing, lpName) : NULL;
}

HANDLE WINAPI OpenFileMappingA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_shared(&sharing, lpName);
}

HANDLE WINAPI OpenFileMappingW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_shared_w(&sharing, lpName);
}
