/* SPDX-License-Identifier: MIT
 *
 * file_lock.h - locks ranges of a file, for LockFile.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_LOCK_H
#define UMSSHIM_WINAPI_LINUX_FILE_LOCK_H

#include "winapi/linux/file.h"

enum lock_waits { LOCK_AT_ONCE, LOCK_WAITS };

/* 0 or a Win32 error: ERROR_LOCK_VIOLATION, for a call that does not wait; ERROR_NOT_LOCKED. */
DWORD win__lock_range(struct file *file, uint64_t start, uint64_t length, bool exclusive,
                      enum lock_waits waits);
DWORD win__unlock_range(struct file *file, uint64_t start, uint64_t length);

/* Frees what is left of the list, with the file's last reference. To close the descriptor
 * unlocks. */
void win__locks_free(struct file *file);
/* In a child after fork. */
void file_locks_forget(void);

#endif
