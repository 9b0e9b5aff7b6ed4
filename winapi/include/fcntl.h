/* SPDX-License-Identifier: MIT
 *
 * fcntl.h - libc's, plus Microsoft's names for the flags of _open.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/fcntl.h>
#elif defined(_MSC_VER)
#include_next <fcntl.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <fcntl.h>

#if !defined(_WIN32) && !defined(UMSSHIM_FCNTL_H)
#define UMSSHIM_FCNTL_H

#define _O_RDONLY O_RDONLY
#define _O_WRONLY O_WRONLY
#define _O_RDWR O_RDWR
#define _O_APPEND O_APPEND
#define _O_CREAT O_CREAT
#define _O_TRUNC O_TRUNC
#define _O_EXCL O_EXCL
#define _O_NOINHERIT 02000000 /* O_CLOEXEC, which libc hides with -std=c11 */
/* Linux has no text mode and no such advice: _open removes these flags. */
#define _O_TEXT 0x4000
#define _O_BINARY 0x8000
#define _O_WTEXT 0x10000000
#define _O_U16TEXT 0x10000000
#define _O_U8TEXT 0x10000000
#define _O_SEQUENTIAL 0x20000000
#define _O_RANDOM 0x20000000
#define _O_SHORT_LIVED 0x20000000
/* Names for open itself, which would take the numbers above for Linux's flags. */
#define O_TEXT 0
#define O_BINARY 0

#endif
#endif /* _MSC_VER */
