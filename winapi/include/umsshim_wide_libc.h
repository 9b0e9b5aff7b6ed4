/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_libc.h - before libc's <wchar.h>, <stdlib.h> and <stdio.h> where a wchar_t has 16
 * bits: libc may not give functions other names than umsshim_wide.h does.
 *
 * It has three ways to: checked twins (_FORTIFY_SOURCE), C23's binary numbers, and C99's scanf.
 * Checks of functions in other headers stay.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <features.h>

#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1
