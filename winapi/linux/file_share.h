/* SPDX-License-Identifier: MIT
 *
 * file_share.h - share modes, among the handles of this process.
 *
 * Each handle of CreateFile's to a plain file or folder that reads, writes or deletes has an entry:
 * what it does, and what it lets others do. Another one that wants what an entry does not share, or
 * does not share what an entry does, is a sharing violation. Files are told apart by device and
 * inode, so another name of the same file is no way round. Other processes are not asked.
 *
 * The entries are under share_lock; an entry is its file's, and goes with the file's last handle.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_SHARE_H
#define UMSSHIM_WINAPI_LINUX_FILE_SHARE_H

#include "winapi/linux/surface.h"

struct file_share;

/* Enters what an open file does (enum file_access) and lets others do (FILE_SHARE_*): 0,
 * ERROR_SHARING_VIOLATION, or 8. *share is for win__share_leave, which frees it; it may be NULL. */
DWORD win__share_enter(int fd, unsigned does, DWORD lets, struct file_share **share);
void win__share_leave(struct file_share **share); /* which is NULL from then on */

/* Whether some handle does not share what is to be done to the file. */
bool win__share_denies(int fd, unsigned does);
bool win__share_denies_delete(const char *path);

/* In a child after fork. */
void file_shares_forget(void);

#endif
