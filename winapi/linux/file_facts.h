/* SPDX-License-Identifier: MIT
 *
 * file_facts.h - what the file system knows of a file, in Windows' words.
 *
 * READONLY is having no permission to write (file_path.h). HIDDEN, SYSTEM, ARCHIVE and the others
 * that only a program sets are kept in the extended attribute user.DOSATTRIB, as Samba and Wine
 * keep them; a file without one has ARCHIVE. A link is a reparse point, and everything else that is
 * told of it is its target's, if there is one.
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

/* False: errno says why. */
bool win__facts_at(const char *path, struct file_facts *facts);
bool win__facts_of(int fd, struct file_facts *facts);

/* The device's number as a volume's serial number. */
DWORD win__volume_serial(const struct file_facts *facts);

/* Gives a file, folder or a link's target these attributes. 0 or a Win32 error. */
DWORD win__set_attributes(const char *path, DWORD attributes);

/* A path by which an open file can be named to the system: of PROC_PATH bytes. */
enum { PROC_PATH = 32 };
void win__proc_path(char *path, int fd);

/* The time of a FILETIME for utimensat; 0 and all ones leave it as it is. */
struct timespec win__utime(const FILETIME *time);

#endif
