/* SPDX-License-Identifier: MIT
 *
 * file_path.h - paths of files: how Windows' become the system's, and what is the matter with one.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_PATH_H
#define UMSSHIM_WINAPI_LINUX_FILE_PATH_H

#include "winapi/linux/surface.h"

/* The system's path for a name that is no device's (dos_device.h), in memory of its own. */
char *win__path(const char *name);
/* What errno means for a path that could not be opened. */
DWORD win__open_error(const char *path);
/* The attribute READONLY, which is having no permission to write: nobody may, root neither. */
struct stat;
bool win__is_read_only(const struct stat *status);

#endif
