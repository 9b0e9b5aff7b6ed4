/* SPDX-License-Identifier: MIT
 *
 * pipe_data.h - reads and writes a named pipe, with and without an OVERLAPPED.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_DATA_H
#define UMSSHIM_WINAPI_LINUX_PIPE_DATA_H

#include "winapi/linux/overlapped.h"
#include "winapi/linux/pipe.h"

/* On the calling thread. 0, ERROR_MORE_DATA, or another Win32 error. */
DWORD win__pipe_read_now(struct file *file, struct pipe_link *link, void *buffer, DWORD count,
                         bool whole, bool waits, DWORD *moved);
DWORD win__pipe_write_now(struct file *file, struct pipe_link *link, const void *buffer,
                          DWORD count, bool waits, DWORD *moved);

/* ---- Overlapped: pipe_overlapped.c ---- */

/* The extra memory of an operation on a pipe. */
struct pipe_transfer {
    struct pipe_reading reading;
    struct pipe_writing writing;
};

/* Makes an operation on the end's link. Takes over the reference to the file. 0 or a Win32
 * error. */
DWORD win__pipe_operation(struct file *file, OVERLAPPED *overlapped,
                          LPOVERLAPPED_COMPLETION_ROUTINE routine, struct operation **operation);
/* Both begin an operation on a pipe. The caller has put the program's buffers into its memory
 * (struct pipe_transfer). The result is that of operation_begin. */
DWORD win__pipe_begin_read(struct operation *operation, DWORD *moved);
DWORD win__pipe_begin_write(struct operation *operation, DWORD *moved);
/* Begins the write. The read follows, and its result is the operation's. */
DWORD win__pipe_begin_transaction(struct operation *operation, DWORD *moved);

#endif
