/* SPDX-License-Identifier: MIT
 *
 * view.c - MapViewOfFile, MapViewOfFileEx, UnmapViewOfFile, FlushViewOfFile, and VirtualAlloc's
 * commit in a view.
 *
 * A view is a region (regions.h) over which the section's pages are mapped. A section with
 * SEC_RESERVE has the list of its committed pages, so pages that one view commits are committed in
 * all views.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/error.h"
#include "winapi/linux/section.h"

/* The PAGE_* of a view with that access. A view with FILE_MAP_COPY copies pages when it writes. */
static DWORD protect_of(DWORD access)
{
    bool executes = access & FILE_MAP_EXECUTE;
    DWORD rest = access & ~(DWORD)FILE_MAP_EXECUTE;
    if (rest == FILE_MAP_COPY)
        return executes ? PAGE_EXECUTE_WRITECOPY : PAGE_WRITECOPY;
    if (rest & FILE_MAP_WRITE)
        return executes ? PAGE_EXECUTE_READWRITE : PAGE_READWRITE;
    if (rest & FILE_MAP_READ)
        return executes ? PAGE_EXECUTE_READ : PAGE_READONLY;
    return PAGE_NOACCESS;
}

static bool copies(DWORD protect)
{
    return protect == PAGE_WRITECOPY || protect == PAGE_EXECUTE_WRITECOPY;
}

/* PROT_*: the most that the pages of a view may have. */
static int most_of(const struct section *section, bool copy)
{
    bool executes = section->protect >= PAGE_EXECUTE;
    bool writes =
        copy || section->protect == PAGE_READWRITE || section->protect == PAGE_EXECUTE_READWRITE;
    return PROT_READ | (writes ? PROT_WRITE : 0) | (executes ? PROT_EXEC : 0);
}

/* Commits, in a view, the pages that its section has committed already. */
static DWORD commit_known(struct region *view)
{
    const volatile unsigned char *committed =
        view->section->committed + view->offset / PAGE_BYTES; /* other processes write it, too */
    size_t count = (view->end - view->start) / PAGE_BYTES;
    for (size_t i = 0, end; i < count; i = end) {
        unsigned char is = committed[i];
        for (end = i + 1; end < count && committed[end] == is;)
            end++;
        DWORD error = is ? region_commit(view, view->start + i * PAGE_BYTES,
                                         view->start + end * PAGE_BYTES, view->protect)
                         : 0;
        if (error)
            return error;
    }
    return 0;
}

/* The caller has regions_lock. If it succeeds, the view takes over the caller's reference to the
 * section. */
static DWORD map(struct section *section, DWORD protect, uint64_t offset, uint64_t bytes,
                 uintptr_t wanted, uintptr_t *start)
{
    DWORD error = region_reserve(wanted, page_up(bytes), protect, start);
    if (error)
        return error;
    struct region *view = region_at(*start);
    view->section = section;
    view->offset = offset;
    view->copy = copies(protect);
    view->most = most_of(section, view->copy);
    int prot = region_protection(view, &protect);
    if (prot < 0) {
        error = ERROR_ACCESS_DENIED;
    } else {
        int flags = MAP_FIXED | MAP_NORESERVE | (view->copy ? MAP_PRIVATE : MAP_SHARED);
        long r = RAW6(SYS_mmap, *start, view->end - view->start,
                      section->committed ? PROT_NONE : prot, flags, section->fd, offset);
        if (r < 0 && r >= -4095)
            error = win__error_of((int)-r);
        else if (section->committed)
            error = commit_known(view);
        else
            view->plain = (unsigned char)protect;
    }
    if (error)
        region_release(view);
    return error;
}

LPVOID WINAPI MapViewOfFileEx(HANDLE hFileMappingObject, DWORD dwDesiredAccess,
                              DWORD dwFileOffsetHigh, DWORD dwFileOffsetLow,
                              SIZE_T dwNumberOfBytesToMap, LPVOID lpBaseAddress)
{
    uint64_t offset = (uint64_t)dwFileOffsetHigh << 32 | dwFileOffsetLow;
    uint64_t bytes = dwNumberOfBytesToMap;
    uintptr_t start = 0, wanted = (uintptr_t)lpBaseAddress;
    struct section *section = win__section(hFileMappingObject);
    if (!section)
        return NULL;
    DWORD error = 0;
    if (offset % GRANULARITY || wanted % GRANULARITY)
        error = ERROR_MAPPED_ALIGNMENT;
    else if (offset >= section->size || bytes > section->size - offset)
        error = ERROR_ACCESS_DENIED;
    else if (wanted > HIGHEST_ADDRESS)
        error = ERROR_INVALID_ADDRESS;
    if (!error) {
        plat_lock(&regions_lock);
        error = map(section, protect_of(dwDesiredAccess), offset,
                    bytes ? bytes : section->size - offset, wanted, &start);
        plat_unlock(&regions_lock);
    }
    if (!error)
        return (void *)start;
    object_drop(&section->object);
    win__fail(error);
    return NULL;
}

LPVOID WINAPI MapViewOfFile(HANDLE hFileMappingObject, DWORD dwDesiredAccess,
                            DWORD dwFileOffsetHigh, DWORD dwFileOffsetLow,
                            SIZE_T dwNumberOfBytesToMap)
{
    return MapViewOfFileEx(hFileMappingObject, dwDesiredAccess, dwFileOffsetHigh, dwFileOffsetLow,
                           dwNumberOfBytesToMap, NULL);
}

BOOL WINAPI UnmapViewOfFile(LPCVOID lpBaseAddress)
{
    struct section *section = NULL;
    plat_lock(&regions_lock);
    struct region *view = region_at((uintptr_t)lpBaseAddress);
    if (view && view->section) {
        section = view->section;
        region_release(view);
    }
    plat_unlock(&regions_lock);
    if (!section)
        return win__fail(ERROR_INVALID_ADDRESS);
    object_drop(&section->object);
    return TRUE;
}

/* Calls the library's front of msync: a worker that has to wait gives its scheduler the processor.
 * If another thread unmaps the view meanwhile nothing is lost, as the pages are the file's. */
BOOL WINAPI FlushViewOfFile(LPCVOID lpBaseAddress, SIZE_T dwNumberOfBytesToFlush)
{
    uintptr_t start = page_down((uintptr_t)lpBaseAddress), end = 0;
    struct section *section = NULL;
    plat_lock(&regions_lock);
    struct region *view = region_at(start);
    if (view && view->section && dwNumberOfBytesToFlush <= view->end - (uintptr_t)lpBaseAddress) {
        end = dwNumberOfBytesToFlush ? page_up((uintptr_t)lpBaseAddress + dwNumberOfBytesToFlush)
                                     : view->end;
        section = view->section;
        object_hold(&section->object);
    }
    plat_unlock(&regions_lock);
    if (!section)
        return win__fail(ERROR_INVALID_ADDRESS);
    bool failed = section->file && msync((void *)start, end - start, MS_SYNC) && errno != ENOMEM;
    DWORD error = failed ? win__error_of(errno) : 0;
    object_drop(&section->object);
    return error ? win__fail(error) : TRUE;
}

/* Commits the pages that `view` has just committed in the other views of its section. */
static DWORD commit_elsewhere(const struct region *view, uint64_t from, uint64_t to)
{
    for (struct region *other = region_from(0); other; other = region_from(other->end)) {
        if (other->section != view->section || other == view)
            continue;
        uint64_t low = other->offset, high = other->offset + (other->end - other->start);
        low = low > from ? low : from;
        high = high < to ? high : to;
        for (uint64_t at = low; at < high; at += PAGE_BYTES) {
            uintptr_t page = other->start + (at - other->offset);
            DWORD error = page_kind(other, page)
                              ? 0
                              : region_commit(other, page, page + PAGE_BYTES, other->protect);
            if (error)
                return error;
        }
    }
    return 0;
}

DWORD view_commit(struct region *view, uintptr_t start, uintptr_t end, DWORD protect)
{
    struct section *section = view->section;
    if (section->file)
        return ERROR_ACCESS_DENIED; /* all pages are committed already */
    DWORD error = region_commit(view, start, end, protect);
    if (error || !section->committed)
        return error;
    uint64_t from = view->offset + (start - view->start), to = from + (end - start);
    memset(section->committed + from / PAGE_BYTES, 1, (to - from) / PAGE_BYTES);
    return commit_elsewhere(view, from, to);
}
