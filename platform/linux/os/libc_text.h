/* SPDX-License-Identifier: MIT
 *
 * libc_text.h - whether code is the C library's, in which a thread may hold one of its locks.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBC_TEXT_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBC_TEXT_H

#include <stdbool.h>

void libc_locate(void);
bool libc_holds(const void *code);

#endif
