/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.h - ReadFile, WriteFile and their kin on a file that was opened with
 * FILE_FLAG_OVERLAPPED.
 *
 * Most operations on a disk's file are over at the first system call, whose bytes are in the
 * kernel's memory. The function that the program has called makes that call itself (async_first
 * says why). So the two functions that begin an operation are inline.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_FILE_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_FILE_H

#include <sys/uio.h>

#include "winapi/linux/error.h"
#include "winapi/linux/overlapped_end.h"

/* For a file that is not on a disk. The contract is that of the two below. */
BOOL overlapped_stream_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                            OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);
BOOL overlapped_stream_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                             OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);

/* The steps before and after the first call, for a file on a disk. The first returns 0 or an error;
 * it takes over the caller's reference to the file. */
int overlapped_disk_create(struct file *file, const void *bytes, DWORD count,
                           OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine,
                           bool writes, struct operation *operation);
BOOL overlapped_disk_go_on(struct operation *operation, long first, DWORD *moved);

/* Names the place in the file: the call's offset, or that it appends. */
static inline void overlapped_place(struct async_call *call, const OVERLAPPED *overlapped,
                                    bool writes)
{
    call->offset = (uint64_t)overlapped->OffsetHigh << 32 | overlapped->Offset;
    if (call->offset == UINT64_MAX && writes) { /* all ones: at the end */
        call->offset = 0;
        call->flags = RWF_APPEND;
    }
}

static inline __attribute__((always_inline)) BOOL
overlapped_disk(struct file *file, const void *bytes, DWORD count, DWORD *moved,
                OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine, bool writes)
{
    struct operation operation;
    struct packet *packet = at_once_packet(file, overlapped, routine);
    long first = 0;
    if (packet) {
        struct async_call call = {
            .fd = file->fd, .address = (void *)bytes, .length = count}; /* no other field is used */
        overlapped_place(&call, overlapped, writes);
        first = async_first(&call, writes);
        if (UMS_LIKELY(first == count && count)) { /* else a part, the end, or an error */
            if (moved)
                *moved = (DWORD)first;
            at_once_over(file, overlapped, packet, (DWORD)first);
            return TRUE;
        }
        at_once_spare(packet);
    }
    int error = overlapped_disk_create(file, bytes, count, overlapped, routine, writes, &operation);
    if (error)
        return win__result(error);
    if (!packet)
        first = async_first(&operation.call, writes);
    return overlapped_disk_go_on(&operation, first, moved);
}

/* They take over the caller's reference to the file. TRUE, or FALSE with the last error, which may
 * be ERROR_IO_PENDING. `moved` (or NULL) gets the number of bytes, if it is known by then. */
static inline __attribute__((always_inline)) BOOL
overlapped_read(struct file *file, void *buffer, DWORD count, DWORD *moved, OVERLAPPED *overlapped,
                LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (file->type == FILE_TYPE_DISK)
        return overlapped_disk(file, buffer, count, moved, overlapped, routine, false);
    return overlapped_stream_read(file, buffer, count, moved, overlapped, routine);
}

static inline __attribute__((always_inline)) BOOL
overlapped_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                 OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (file->type == FILE_TYPE_DISK)
        return overlapped_disk(file, buffer, count, moved, overlapped, routine, true);
    return overlapped_stream_write(file, buffer, count, moved, overlapped, routine);
}

#endif
