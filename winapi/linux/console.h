/* SPDX-License-Identifier: MIT
 *
 * console.h - handles of terminals; the title's lock after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CONSOLE_H
#define UMSSHIM_WINAPI_LINUX_CONSOLE_H

#include "winapi/linux/file.h"

/* The file of a handle, with a reference (object_drop), if it is a terminal and the handle has one
 * of these kinds of access. NULL: ERROR_INVALID_HANDLE or ERROR_ACCESS_DENIED. */
struct file *win__terminal(HANDLE handle, unsigned access);

/* In a child after fork: no thread of the child holds the title's lock. */
void console_title_forget(void);

#endif
