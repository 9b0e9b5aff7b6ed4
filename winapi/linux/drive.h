/* SPDX-License-Identifier: MIT
 *
 * drive.h - drives, which are letters for folders.
 *
 * The program /home/me/server has a drive C: if there is a folder /home/me/server.drives/c:, or a
 * link to one. The library looks for all of them at the first call here, and each letter keeps its
 * folder. A program that has more privileges than its user has no drives. Any thread may call.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DRIVE_H
#define UMSSHIM_WINAPI_LINUX_DRIVE_H

#include "winapi/linux/surface.h"

/* The small letter of a name that begins with a letter and a colon, else 0. */
char win__letter_of(const char *name);
/* A bit for each drive; A: has the lowest. */
DWORD win__drives(void);

/* The system's path for a name that has a letter, in malloc's memory. Dots are taken out of it, and
 * none leads above the drive's folder; a symbolic link may. A name without a slash behind the colon
 * is relative to the current folder if that is on this drive, else to the drive's root. NULL with
 * the last error; ERROR_PATH_NOT_FOUND: no such drive. A line on stderr names the first such
 * name. */
char *win__drive_path(const char *name);
/* The letter of the current folder's drive; 0: it is on none. */
char win__current_drive(void);

/* An absolute path as the program sees it. A path in a drive's folder becomes one on the drive,
 * with backslashes, unless it has a step "..". Any other path stays. Of several drives `preferred`
 * comes first, then the deepest. Takes over `path`, which may be NULL. NULL with the last error: no
 * memory. */
char *win__shown_path(char *path, char preferred);

#endif
