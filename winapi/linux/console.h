/* SPDX-License-Identifier: MIT
 *
 * console.h - handles of terminals, and what a fork's child does about the title.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CONSOLE_H
#define UMSSHIM_WINAPI_LINUX_CONSOLE_H

#include "winapi/linux/file.h"

/* The file with a reference (object_drop) if it is a terminal that may be accessed in one of these
 * ways; NULL: ERROR_INVALID_HANDLE or ERROR_ACCESS_DENIED. */
struct file *win__terminal(HANDLE handle, unsigned access);

/* In a child after fork: nobody holds the title's lock. */
void console_title_forget(void);

#endif
