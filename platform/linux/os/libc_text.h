/* SPDX-License-Identifier: MIT
 *
 * libc_text.h - where the C library's code is, which holds locks of its own.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBC_TEXT_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBC_TEXT_H

#include <stdbool.h>

void libc_locate(void);
bool libc_holds(const void *code);

#endif
