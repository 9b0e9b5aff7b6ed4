/* SPDX-License-Identifier: MIT
 *
 * file_move.h - moves files and folders, by the system's paths.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_MOVE_H
#define UMSSHIM_WINAPI_LINUX_FILE_MOVE_H

#include "winapi/linux/surface.h"

/* Takes MoveFileEx's flags. The caller looks whether open handles share the file with a deletion. 0
 * or a Win32 error. */
DWORD win__rename(const char *from, const char *to, DWORD flags);

#endif
