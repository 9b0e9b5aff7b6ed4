/* SPDX-License-Identifier: MIT
 *
 * child_arguments.h - from CreateProcess's command line and environment to exec's.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHILD_ARGUMENTS_H
#define UMSSHIM_WINAPI_LINUX_CHILD_ARGUMENTS_H

#include "winapi/linux/surface.h"

/* Takes a command line apart as Microsoft's C run-time library does; with NULL at the end, and in
 * one piece of malloc's memory. NULL: no memory. */
char **win__arguments(const char *line);

/* The same for a block of strings, each with a zero, and one more zero at the end. */
char **win__environment(const char *block);

/* The program that a command line begins with, as a path from the root on, in malloc's memory: in
 * quotes, or the shortest beginning up to a blank that is a file. NULL with the last error. */
char *win__program_of(const char *line);
/* The same for a name: "name.exe" is also "name" if only that is there. */
char *win__program(const char *name);

#endif
