/* SPDX-License-Identifier: MIT
 *
 * file_facts.h - a file's attributes, times, size and number, in Windows' terms.
 *
 * READONLY means that no one has permission to write (file_path.h). HIDDEN, SYSTEM, ARCHIVE and the
 * others that only a program sets are kept in the extended attribute user.DOSATTRIB, as Samba and
 * Wine do. A file without that has ARCHIVE. A link is a reparse point; all its other facts are its
 * target's, if there is one.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_FACTS_H
#define UMSSHIM_WINAPI_LINUX_FILE_FACTS_H

#include <sys/stat.h>

#include "winapi/linux/file.h"

struct file_facts {
    struct statx status;
    bool is_link;
    DWORD attributes;
    FILETIME created, accessed, written, changed;
};

/* False with errno. */
bool win__facts_at(const char *path, struct file_facts *facts);
bool win__facts_of(int fd, struct file_facts *facts);

/* The number of the file's device, as the serial number of its volume. */
DWORD win__volume_serial(const struct file_facts *facts);

/* Sets attributes of a file or folder, or of a link's target. 0 or a Win32 error. */
DWORD win__set_attributes(const char *path, DWORD attributes);

/* Writes a path in /proc that leads to an open file. `path` has PROC_PATH bytes. */
enum { PROC_PATH = 32 };
void win__proc_path(char *path, int fd);

/* A FILETIME for utimensat; 0 and all ones mean no change. */
struct timespec win__utime(const FILETIME *time);

#endif
