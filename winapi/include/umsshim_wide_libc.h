/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_libc.h - read before libc's <wchar.h>, <stdlib.h> and <stdio.h> if a wchar_t has 16
 * bits.
 *
 * It keeps libc from giving functions other names than umsshim_wide.h does. libc would do that for
 * checked functions (_FORTIFY_SOURCE), C23's binary numbers and C99's scanf. Functions in other
 * headers stay checked.
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
