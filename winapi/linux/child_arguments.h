/* SPDX-License-Identifier: MIT
 *
 * child_arguments.h - makes CreateProcess's command line and environment into those of exec.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHILD_ARGUMENTS_H
#define UMSSHIM_WINAPI_LINUX_CHILD_ARGUMENTS_H

#include "winapi/linux/surface.h"

/* Takes a command line apart as Microsoft's C run-time library does. The array ends with NULL, and
 * is one piece of malloc's memory with its texts. NULL: no memory. */
char **win__arguments(const char *line);

/* The same for an environment block: strings that end with a zero each, and one more zero. */
char **win__environment(const char *block);

/* The program with which a command line begins: the name in quotes, or the shortest beginning, up
 * to a blank, that is a file. The path begins at the root, in malloc's memory. NULL with the last
 * error. */
char *win__program_of(const char *line);
/* The same for a name. "name.exe" also finds "name", if only that exists. */
char *win__program(const char *name);

#endif
