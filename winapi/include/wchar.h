/* SPDX-License-Identifier: MIT
 *
 * wchar.h - libc's, plus Microsoft's secure and underscored functions on strings of wchar_t, which
 * has 32 bits unless -fshort-wchar is given (umsshim_wide.h). Names of files are UTF-8 on Linux.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/wchar.h>
#elif defined(_MSC_VER)
#include_next <wchar.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#if !defined(_WIN32) && __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide_libc.h"
#endif
#if !defined(_WIN32) && __SIZEOF_WCHAR_T__ == 2 && defined(__cplusplus) && !defined(_WCHAR_H)
#define wcschr umsshim_libc_wcschr /* umsshim_wide_overloads.h has them */
#define wcsrchr umsshim_libc_wcsrchr
#define wcspbrk umsshim_libc_wcspbrk
#define wcsstr umsshim_libc_wcsstr
#define wmemchr umsshim_libc_wmemchr
#include_next <wchar.h>
#undef wcschr
#undef wcsrchr
#undef wcspbrk
#undef wcsstr
#undef wmemchr
#include "umsshim_wide_overloads.h"
#else
#include_next <wchar.h>
#endif

#if !defined(_WIN32) && !defined(UMSSHIM_WCHAR_H) && defined(WEOF) /* read as a whole */
#define UMSSHIM_WCHAR_H

#include <stdio.h>
#include <wctype.h>

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
wchar_t *wcsdup(const wchar_t *string);
int wcscasecmp(const wchar_t *left, const wchar_t *right);
int wcsncasecmp(const wchar_t *left, const wchar_t *right, size_t count);
size_t wcsnlen(const wchar_t *string, size_t size);
#endif

#define _wcsdup wcsdup
#define _wcsicmp wcscasecmp
#define _wcsnicmp wcsncasecmp
#define wcstok_s wcstok
#define wcsnlen_s(string, size) ((string) ? wcsnlen((string), (size)) : 0)

static inline wchar_t *_wcslwr(wchar_t *string)
{
    for (wchar_t *at = string; *at; at++)
        *at = (wchar_t)towlower((wint_t)*at);
    return string;
}

static inline wchar_t *_wcsupr(wchar_t *string)
{
    for (wchar_t *at = string; *at; at++)
        *at = (wchar_t)towupper((wint_t)*at);
    return string;
}

/* Appends at most `count` characters of `from` to the first `used` characters of `to`. The
 * functions below call it. */
static inline errno_t umsshim_append_wide(const char *name, wchar_t *to, rsize_t size, size_t used,
                                          const wchar_t *from, rsize_t count)
{
    size_t length;

    umsshim_require(to && size, name, EINVAL, EINVAL);
    umsshim_require(from && used < size, name, EINVAL, (*to = 0, EINVAL));
    length = wcsnlen(from, count == _TRUNCATE ? size : count);
    if (count == _TRUNCATE && length >= size - used) {
        wmemcpy(to + used, from, size - used - 1);
        to[size - 1] = 0;
        return STRUNCATE;
    }
    umsshim_require(length < size - used, name, ERANGE, (*to = 0, ERANGE));
    wmemcpy(to + used, from, length);
    to[used + length] = 0;
    return 0;
}

static inline errno_t wcscpy_s(wchar_t *to, rsize_t size, const wchar_t *from)
{
    return umsshim_append_wide("wcscpy_s", to, size, 0, from, size);
}

static inline errno_t wcsncpy_s(wchar_t *to, rsize_t size, const wchar_t *from, rsize_t count)
{
    return umsshim_append_wide("wcsncpy_s", to, size, 0, from, count);
}

static inline errno_t wcscat_s(wchar_t *to, rsize_t size, const wchar_t *from)
{
    return umsshim_append_wide("wcscat_s", to, size, to ? wcsnlen(to, size) : 0, from, size);
}

static inline errno_t wcsncat_s(wchar_t *to, rsize_t size, const wchar_t *from, rsize_t count)
{
    return umsshim_append_wide("wcsncat_s", to, size, to ? wcsnlen(to, size) : 0, from, count);
}

static inline errno_t wmemcpy_s(wchar_t *to, rsize_t size, const wchar_t *from, rsize_t count)
{
    umsshim_require(count == 0 || (to && from), "wmemcpy_s", EINVAL, EINVAL);
    umsshim_require(count <= size, "wmemcpy_s", ERANGE, ERANGE);
    if (count)
        wmemcpy(to, from, count);
    return 0;
}

/* Writes a string as UTF-8. 0: it does not fit. */
static inline int umsshim_utf8(const wchar_t *from, char *to, size_t size)
{
    char *end = to + size;

    for (; *from; from++) {
        unsigned long point = (unsigned long)*from;

        if (end - to < 5)
            return 0;
        if (point >= 0xD800 && point < 0xDC00 && (unsigned long)from[1] - 0xDC00 < 0x400)
            point = 0x10000 + ((point & 0x3FF) << 10) + ((unsigned long)*++from & 0x3FF);
        if (point >= 0x110000 || (point >= 0xD800 && point < 0xE000))
            point = 0xFFFD;
        if (point < 0x80) {
            *to++ = (char)point;
            continue;
        }
        if (point < 0x800) {
            *to++ = (char)(0xC0 | point >> 6);
        } else {
            if (point < 0x10000) {
                *to++ = (char)(0xE0 | point >> 12);
            } else {
                *to++ = (char)(0xF0 | point >> 18);
                *to++ = (char)(0x80 | (point >> 12 & 0x3F));
            }
            *to++ = (char)(0x80 | (point >> 6 & 0x3F));
        }
        *to++ = (char)(0x80 | (point & 0x3F));
    }
    *to = '\0';
    return 1;
}

static inline FILE *_wfopen(const wchar_t *name, const wchar_t *mode)
{
    char path[4096];
    char how[32];

    umsshim_require(name && mode, "_wfopen", EINVAL, NULL);
    if (umsshim_utf8(name, path, sizeof(path)) && umsshim_utf8(mode, how, sizeof(how)))
        return fopen(path, how);
    errno = ENAMETOOLONG;
    return NULL;
}

static inline errno_t _wfopen_s(FILE **file, const wchar_t *name, const wchar_t *mode)
{
    umsshim_require(file && name && mode, "_wfopen_s", EINVAL, EINVAL);
    *file = _wfopen(name, mode);
    return *file ? 0 : errno;
}

#if __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide_text.h"
#endif

#ifdef __cplusplus
/* C++ finds the size of an array itself. */
extern "C++" {
template <size_t size> static inline errno_t wcscpy_s(wchar_t (&to)[size], const wchar_t *from)
{
    return wcscpy_s(to, size, from);
}

template <size_t size> static inline errno_t wcscat_s(wchar_t (&to)[size], const wchar_t *from)
{
    return wcscat_s(to, size, from);
}
}
#endif

#endif
#endif /* _MSC_VER */
