/* SPDX-License-Identifier: MIT
 *
 * file_copy.h - copies files, by the system's paths.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_COPY_H
#define UMSSHIM_WINAPI_LINUX_FILE_COPY_H

#include "winapi/linux/surface.h"

/* CopyFileEx's arguments by which its caller follows a copy, and cancels it. */
struct copy_watch {
    LPPROGRESS_ROUTINE routine; /* or NULL */
    LPVOID argument;
    LPBOOL cancel; /* or NULL */
};

/* Copies content, attributes and the time of the last write. 0 or a Win32 error. Then a file that
 * the call made is gone, unless the program's routine has answered PROGRESS_STOP. One that it was
 * to replace may have a part of the copy (give_up). */
DWORD win__copy(const char *from, const char *to, bool replace, const struct copy_watch *watch);

#endif
