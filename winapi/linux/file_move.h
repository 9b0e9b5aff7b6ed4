/* SPDX-License-Identifier: MIT
 *
 * file_move.h - files and folders, moved by the system's paths.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_MOVE_H
#define UMSSHIM_WINAPI_LINUX_FILE_MOVE_H

#include "winapi/linux/surface.h"

/* MoveFileEx's flags; whether handles share the file with a deletion is the caller's to ask. 0 or a
 * Win32 error. */
DWORD win__rename(const char *from, const char *to, DWORD flags);

#endif
