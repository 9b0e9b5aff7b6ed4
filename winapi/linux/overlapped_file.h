/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.h - ReadFile, WriteFile and their kin on a file that was opened with
 * FILE_FLAG_OVERLAPPED.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_FILE_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_FILE_H

#include "winapi/linux/overlapped.h"

/* They take over the caller's reference to the file. TRUE, or FALSE with the last error, which may
 * be ERROR_IO_PENDING. `moved` (or NULL) gets the number of bytes, if it is known by then. */
BOOL overlapped_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                     OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);
BOOL overlapped_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                      OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);

#endif
