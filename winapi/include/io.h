/* SPDX-License-Identifier: MIT
 *
 * io.h - Microsoft's names for calls on file descriptors. There is no text mode to leave here.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/io.h>
#elif defined(_MSC_VER)
#include_next <io.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <io.h>
#elif !defined(UMSSHIM_IO_H)
#define UMSSHIM_IO_H

#include <fcntl.h>
#include <unistd.h>

#define _O_BINARY 0x8000
#define _O_TEXT 0x4000
#define _access access
#define _close close
#define _dup dup
#define _dup2 dup2
#define _isatty isatty
#define _read read
#define _setmode(descriptor, mode) ((void)(descriptor), (void)(mode), _O_BINARY)
#define _unlink unlink
#define _write write

#endif
#endif /* _MSC_VER */
