/* SPDX-License-Identifier: MIT
 *
 * drive.h - drives: letters for folders, as the program's own folder of them says.
 *
 * The program /home/me/server has a drive C: if there is a folder /home/me/server.drives/c:, or a
 * link to one. All are looked for once, at the first call here, so what a letter means stays. A
 * program that has more privileges than its user has no drives. Any thread may call.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DRIVE_H
#define UMSSHIM_WINAPI_LINUX_DRIVE_H

#include "winapi/linux/surface.h"

/* The small letter of a name that begins with one and a colon, else 0. */
char win__letter_of(const char *name);
/* A bit for each drive that is there; A: is the lowest. */
DWORD win__drives(void);

/* The system's path for a name that has a letter, in malloc's memory. Dots are taken out of it, and
 * none leads above the drive's folder; a link in there leads wherever it does. A name without a
 * slash behind the colon is relative to the current folder if that is on this drive, else to the
 * drive's root. NULL with the last error: ERROR_PATH_NOT_FOUND is no such drive, and the first such
 * name is told on stderr. */
char *win__drive_path(const char *name);
/* The letter of the drive that the current folder is on, or 0. */
char win__current_drive(void);

/* An absolute path of the system's as the program is to see it: on a drive, with backslashes, if it
 * is below one's folder; else, and with a step ".." below it, as it is. Of several drives
 * `preferred` wins, then the deepest. Takes over `path`, which may be NULL; NULL with the last
 * error: no memory. */
char *win__shown_path(char *path, char preferred);

#endif
