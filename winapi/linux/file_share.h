/* SPDX-License-Identifier: MIT
 *
 * file_share.h - share modes, among the handles of this process.
 *
 * CreateFile makes an entry for each plain file or folder that it opens to read, write or delete.
 * The entry has the handle's access, and the access that it shares. A new handle that wants access
 * which an entry does not share, or does not share the access of an entry, is a sharing violation.
 * Device and inode identify the file, so its other names make no difference. Other processes have
 * no part in this.
 *
 * The entries are under share_lock. An entry is freed with its file's last handle.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_SHARE_H
#define UMSSHIM_WINAPI_LINUX_FILE_SHARE_H

#include "winapi/linux/surface.h"

struct file_share;

/* Makes an entry for an open file: its access (enum file_access) and the shared access
 * (FILE_SHARE_*). 0, ERROR_SHARING_VIOLATION, or 8: no memory. *share is for win__share_leave,
 * which frees it; it may be NULL. */
DWORD win__share_enter(int fd, unsigned does, DWORD lets, struct file_share **share);
void win__share_leave(struct file_share **share); /* sets *share to NULL */

/* Whether a handle does not share this access to the file. */
bool win__share_denies(int fd, unsigned does);
bool win__share_denies_delete(const char *path);

/* In a child after fork. */
void file_shares_forget(void);

#endif
