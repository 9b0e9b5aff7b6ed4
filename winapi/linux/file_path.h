/* SPDX-License-Identifier: MIT
 *
 * file_path.h - makes Windows' paths the system's; the errors of paths.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_PATH_H
#define UMSSHIM_WINAPI_LINUX_FILE_PATH_H

#include "winapi/linux/surface.h"

/* The system's path for a name that is no device's (dos_device.h), in malloc's memory. Backslashes
 * become slashes, the prefix \\?\ is left out, and a drive becomes its folder (drive.h). If the
 * current folder is on a drive, a name that begins with a backslash is on that drive. NULL with the
 * last error: ERROR_PATH_NOT_FOUND for an empty name or a missing drive, ERROR_BAD_NETPATH for a
 * server. */
char *win__path(const char *name);
/* The same for a call that needs a file: a device is ERROR_INVALID_NAME, a device that is absent
 * here ERROR_FILE_NOT_FOUND. */
char *win__plain_path(const char *name);
/* The same from the root on, without . and .., by the text alone: links are not followed. */
char *win__full_path(const char *name);
/* For W calls: the name for the A call; NULL with the last error. */
char *win__name(LPCWSTR wide);
/* The W form of a call that takes a name and nothing else. */
BOOL win__by_name(BOOL(WINAPI *call)(LPCSTR name), LPCWSTR wide);
/* The Win32 error of a path that could not be opened, from errno. */
DWORD win__open_error(const char *path);
/* The attribute READONLY: the mode lets no one write. Then root may not write either, as on
 * Windows. */
struct stat;
bool win__is_read_only(const struct stat *status);

#endif
