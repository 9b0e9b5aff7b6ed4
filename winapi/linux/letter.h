/* SPDX-License-Identifier: MIT
 *
 * letter.h - upper and lower case and the classes of 16-bit characters, whatever locale the program
 * has set: libc's tables of C.UTF-8, or ASCII's where the system has no such locale.
 */
#ifndef UMSSHIM_WINAPI_LINUX_LETTER_H
#define UMSSHIM_WINAPI_LINUX_LETTER_H

#include "winapi/linux/surface.h"

/* As on Windows one unit maps to one unit, and no unit outside ASCII maps into ASCII. */
WCHAR win__upper(WCHAR unit);
WCHAR win__lower(WCHAR unit);
/* The classes C1_UPPER, C1_ALPHA and so on. */
WORD win__class(WCHAR unit);

#endif
