/* SPDX-License-Identifier: MIT
 *
 * overlapped_vector.c - ReadFileScatter, WriteFileGather: which move a part of a file to and from
 * separate pages.
 */
#include <limits.h>
#include <sys/uio.h>

#include "winapi/linux/error.h"
#include "winapi/linux/overlapped.h"

enum { PAGE = 4096, MOST = 1024 /* the kernel's limit of parts in one call */ };

/* The operation's own memory. */
struct pages {
    DWORD left; /* bytes */
    bool writes;
    const FILE_SEGMENT_ELEMENT *next; /* the first element that is not in `parts` */
    struct iovec *first;              /* the first of the parts that are not moved yet */
    struct iovec parts[MOST];
};

/* Fills the next call with as many pages as it may have. */
static void take_pages(struct operation *operation, struct pages *pages)
{
    DWORD left = pages->left;
    uint32_t count = 0;
    for (; left && count < MOST; count++) {
        DWORD bytes = left < PAGE ? left : PAGE;
        pages->parts[count] = (struct iovec){pages->next++->Buffer, bytes};
        left -= bytes;
    }
    pages->first = pages->parts;
    operation->call.address = pages->first;
    operation->call.length = count;
}

/* Goes past the bytes that the call has moved. False: all its parts are moved. */
static bool skip(struct operation *operation, struct pages *pages, size_t moved)
{
    struct async_call *call = &operation->call;
    while (call->length && moved >= pages->first->iov_len) {
        moved -= pages->first->iov_len;
        pages->first++;
        call->length--;
    }
    if (!call->length)
        return false;
    pages->first->iov_base = (char *)pages->first->iov_base + moved;
    pages->first->iov_len -= moved;
    call->address = pages->first;
    return true;
}

static bool step(struct operation *operation, long result)
{
    struct pages *pages = operation->memory;
    if (result <= 0) {
        if (result < 0)
            operation->error = pages->writes ? win__write_error(operation->file, (int)-result)
                                             : win__read_error(operation->file, (int)-result);
        else if (!operation->bytes && pages->left && !pages->writes)
            operation->error = ERROR_HANDLE_EOF;
        return true;
    }
    operation->bytes += (DWORD)result;
    operation->call.offset += (uint64_t)result;
    pages->left -= (DWORD)result;
    if (!pages->left)
        return true;
    if (!skip(operation, pages, (size_t)result))
        take_pages(operation, pages);
    return false;
}

static BOOL begin(HANDLE handle, const FILE_SEGMENT_ELEMENT *segments, DWORD count,
                  OVERLAPPED *overlapped, bool writes)
{
    struct operation *operation;
    struct file *file = win__file_for(handle, writes ? FILE_MAY_WRITE : FILE_MAY_READ);
    if (!file)
        return FALSE;
    int error = !segments || !file->overlapped || file->type != FILE_TYPE_DISK
                    ? ERROR_INVALID_PARAMETER
                    : operation_create(file, overlapped, NULL, sizeof(struct pages), &operation);
    if (error) {
        object_drop(&file->object);
        return win__result(error);
    }
    struct pages *pages = operation->memory;
    pages->left = count;
    pages->writes = writes;
    pages->next = segments;
    operation->step = step;
    operation->direction = IN_ANY_ORDER;
    operation->call.kind = writes ? ASYNC_WRITEV : ASYNC_READV;
    operation->call.offset = (uint64_t)overlapped->OffsetHigh << 32 | overlapped->Offset;
    take_pages(operation, pages);
    return win__result(operation_begin(operation, &count));
}

BOOL WINAPI ReadFileScatter(HANDLE hFile, FILE_SEGMENT_ELEMENT *aSegmentArray,
                            DWORD nNumberOfBytesToRead, LPDWORD lpReserved,
                            LPOVERLAPPED lpOverlapped)
{
    (void)lpReserved;
    return begin(hFile, aSegmentArray, nNumberOfBytesToRead, lpOverlapped, false);
}

BOOL WINAPI WriteFileGather(HANDLE hFile, FILE_SEGMENT_ELEMENT *aSegmentArray,
                            DWORD nNumberOfBytesToWrite, LPDWORD lpReserved,
                            LPOVERLAPPED lpOverlapped)
{
    (void)lpReserved;
    return begin(hFile, aSegmentArray, nNumberOfBytesToWrite, lpOverlapped, true);
}
