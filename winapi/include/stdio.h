/* SPDX-License-Identifier: MIT
 *
 * stdio.h - libc's, plus Microsoft's secure and underscored functions.
 *
 * sscanf_s and its kin are missing: they take a size for each %s and %c, which no macro over sscanf
 * can do. Formats are libc's: write %zu for %Iu, %lld for %I64d (-Wformat finds them).
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/stdio.h>
#elif defined(_MSC_VER)
#include_next <stdio.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#if !defined(_WIN32) && __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide_libc.h"
#endif
#include_next <stdio.h>

#if !defined(_WIN32) && !defined(UMSSHIM_STDIO_H)
#define UMSSHIM_STDIO_H

#include <stdarg.h>
#include <sys/types.h>

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
int fileno(FILE *file);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *pipe);
FILE *fdopen(int descriptor, const char *mode);
int fseeko(FILE *file, off_t offset, int whence);
off_t ftello(FILE *file);
#endif

#define printf_s printf
#define fprintf_s fprintf
#define vprintf_s vprintf
#define vfprintf_s vfprintf
#define _fileno fileno
#define _popen popen
#define _fdopen fdopen
#define _fseeki64 fseeko
#define _ftelli64 ftello
#define _unlink unlink
#define _fsopen(name, mode, sharing) ((void)(sharing), fopen((name), (mode))) /* always shared */
#define _pclose pclose
#define _flushall() fflush(NULL)
#define _vscprintf(format, arguments) vsnprintf(NULL, 0, (format), (arguments))
#define _scprintf(...) snprintf(NULL, 0, __VA_ARGS__)

#define UMSSHIM_FORMAT(format, first) __attribute__((__format__(__printf__, format, first)))

/* Writes up to `count` characters, and a zero after them only if there is room. -1: the text was
 * longer. */
UMSSHIM_FORMAT(3, 0)
static inline int _vsnprintf(char *to, size_t count, const char *format, va_list arguments)
{
    char kept;
    va_list again;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !to || count == 0)
        return length > 0 ? -1 : length;
    if ((size_t)length < count)
        return vsnprintf(to, count, format, arguments);

    /* vsnprintf always writes a zero at the end, so this function formats into a larger block and
     * copies. */
    {
        char *whole = (char *)__builtin_malloc((size_t)length + 1);

        if (!whole)
            return -1;
        vsnprintf(whole, (size_t)length + 1, format, arguments);
        kept = whole[count - 1];
        whole[count - 1] = '\0';
        __builtin_memcpy(to, whole, count);
        to[count - 1] = kept;
        __builtin_free(whole);
    }
    return (size_t)length > count ? -1 : length;
}

UMSSHIM_FORMAT(3, 4)
static inline int _snprintf(char *to, size_t count, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vsnprintf(to, count, format, arguments);
    va_end(arguments);
    return length;
}

/* Writes at most `count` characters and a zero. -1: the text was cut, which is allowed only for
 * `count` or _TRUNCATE. */
UMSSHIM_FORMAT(4, 0)
static inline int _vsnprintf_s(char *to, size_t size, size_t count, const char *format,
                               va_list arguments)
{
    size_t room = count < size ? count + 1 : size;
    int length;

    umsshim_require(to && size && format, "_vsnprintf_s", EINVAL, -1);
    length = vsnprintf(to, room, format, arguments);
    if (length < 0 || (size_t)length < room)
        return length;
    umsshim_require(count == _TRUNCATE || count < size, "_vsnprintf_s", ERANGE, (*to = '\0', -1));
    return -1;
}

UMSSHIM_FORMAT(4, 5)
static inline int _snprintf_s(char *to, size_t size, size_t count, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vsnprintf_s(to, size, count, format, arguments);
    va_end(arguments);
    return length;
}

UMSSHIM_FORMAT(3, 0)
static inline int vsprintf_s(char *to, size_t size, const char *format, va_list arguments)
{
    int length;

    umsshim_require(to && size && format, "vsprintf_s", EINVAL, -1);
    length = vsnprintf(to, size, format, arguments);
    umsshim_require(length < 0 || (size_t)length < size, "vsprintf_s", ERANGE, (*to = '\0', -1));
    return length;
}

UMSSHIM_FORMAT(3, 4)
static inline int sprintf_s(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsprintf_s(to, size, format, arguments);
    va_end(arguments);
    return length;
}

static inline errno_t fopen_s(FILE **file, const char *name, const char *mode)
{
    umsshim_require(file && name && mode, "fopen_s", EINVAL, EINVAL);
    *file = fopen(name, mode);
    return *file ? 0 : errno;
}

#ifdef __cplusplus
extern "C++" {
template <size_t size>
UMSSHIM_FORMAT(2, 3)
static inline int sprintf_s(char (&to)[size], const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsprintf_s(to, size, format, arguments);
    va_end(arguments);
    return length;
}

template <size_t size>
UMSSHIM_FORMAT(3, 4)
static inline int _snprintf_s(char (&to)[size], size_t count, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vsnprintf_s(to, size, count, format, arguments);
    va_end(arguments);
    return length;
}
}
#endif

#endif
#endif /* _MSC_VER */
