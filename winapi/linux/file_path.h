/* SPDX-License-Identifier: MIT
 *
 * file_path.h - paths of files: how Windows' become the system's, and what is the matter with one.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_PATH_H
#define UMSSHIM_WINAPI_LINUX_FILE_PATH_H

#include "winapi/linux/surface.h"

/* The system's path for a name that is no device's (dos_device.h), in malloc's memory: backslashes
 * are slashes, the prefix \\?\ is gone, and a drive is its folder (drive.h). One that begins with a
 * backslash is on the drive of the current folder, if that is on one. NULL with the last error: no
 * name, or a drive that is not there, is ERROR_PATH_NOT_FOUND, a server ERROR_BAD_NETPATH. */
char *win__path(const char *name);
/* The same for a call that wants a file of the file system: a device is ERROR_INVALID_NAME, or
 * ERROR_FILE_NOT_FOUND if it is absent. */
char *win__plain_path(const char *name);
/* A path from the root on, without . and .., as text: no link is looked at. Of memory and errors as
 * win__path. */
char *win__full_path(const char *name);
/* For W calls: the name as an A call takes it; NULL with the last error. */
char *win__name(LPCWSTR wide);
/* What errno means for a path that could not be opened. */
DWORD win__open_error(const char *path);
/* The attribute READONLY, which is having no permission to write: nobody may, root neither. */
struct stat;
bool win__is_read_only(const struct stat *status);

#endif
