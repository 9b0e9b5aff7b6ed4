/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_text.h - the part of wchar.h for a wchar_t of 16 bits: Microsoft's printf family
 * into wide text, and its small string functions.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WIDE_TEXT_H
#define UMSSHIM_WIDE_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "umsshim_crt.h"

#ifdef __cplusplus
extern "C" {
#endif
int umsshim_w_vscwprintf(const wchar_t *format, va_list arguments);
#ifdef __cplusplus
}
#endif

#define _vscwprintf umsshim_w_vscwprintf
#define wprintf_s wprintf
#define fwprintf_s fwprintf
#define vwprintf_s vwprintf
#define vfwprintf_s vfwprintf
#define _getwc_nolock getwc
#define _putwc_nolock putwc
#define _fgetwchar getwchar
#define _fputwchar putwchar
#define _wcsicoll _wcsicmp
#define _wcsdec(start, current) ((start) < (current) ? (current)-1 : (wchar_t *)0)
#define _wcsinc(current) ((current) + 1)

static inline int _scwprintf(const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vscwprintf(format, arguments);
    va_end(arguments);
    return length;
}

/* Writes up to `count` units, and a zero after them only if there is room. -1: the text was
 * longer. */
static inline int _vsnwprintf(wchar_t *to, size_t count, const wchar_t *format, va_list arguments)
{
    int length = _vscwprintf(format, arguments);
    wchar_t *whole;

    if (length < 0 || !to || count == 0)
        return length > 0 ? -1 : length;
    if ((size_t)length < count)
        return vswprintf(to, count, format, arguments);
    whole = (wchar_t *)__builtin_malloc(((size_t)length + 1) * sizeof(*whole));
    if (!whole)
        return -1;
    vswprintf(whole, (size_t)length + 1, format, arguments);
    wmemcpy(to, whole, count);
    __builtin_free(whole);
    return (size_t)length > count ? -1 : length;
}

static inline int _snwprintf(wchar_t *to, size_t count, const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vsnwprintf(to, count, format, arguments);
    va_end(arguments);
    return length;
}

/* Writes at most `count` units and a zero. -1: the text was cut, which is allowed only for `count`
 * or _TRUNCATE. */
static inline int _vsnwprintf_s(wchar_t *to, size_t size, size_t count, const wchar_t *format,
                                va_list arguments)
{
    size_t room = count < size ? count + 1 : size;
    int length;

    umsshim_require(to && size && format, "_vsnwprintf_s", EINVAL, -1);
    length = vswprintf(to, room, format, arguments);
    if (length >= 0)
        return length;
    umsshim_require(count == _TRUNCATE || count < size, "_vsnwprintf_s", ERANGE, (*to = 0, -1));
    return -1;
}

static inline int _snwprintf_s(wchar_t *to, size_t size, size_t count, const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vsnwprintf_s(to, size, count, format, arguments);
    va_end(arguments);
    return length;
}

static inline int vswprintf_s(wchar_t *to, size_t size, const wchar_t *format, va_list arguments)
{
    int length;

    umsshim_require(to && size && format, "vswprintf_s", EINVAL, -1);
    length = vswprintf(to, size, format, arguments);
    umsshim_require(length >= 0, "vswprintf_s", ERANGE, (*to = 0, -1));
    return length;
}

static inline int swprintf_s(wchar_t *to, size_t size, const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vswprintf_s(to, size, format, arguments);
    va_end(arguments);
    return length;
}

/* The old forms, which get no size. */
static inline int _vswprintf(wchar_t *to, const wchar_t *format, va_list arguments)
{
    return vswprintf(to, 0x3FFFFFFF, format, arguments);
}

static inline int _swprintf(wchar_t *to, const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = _vswprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

static inline int _putws(const wchar_t *string)
{
    return fputws(string, stdout) < 0 || putwc(L'\n', stdout) == WEOF ? -1 : 0;
}

static inline wchar_t *_wcsrev(wchar_t *string)
{
    size_t left = 0;
    size_t right = wcslen(string);

    while (left + 1 < right) {
        wchar_t kept = string[left];

        string[left++] = string[--right];
        string[right] = kept;
    }
    return string;
}

static inline wchar_t *_wcsnset(wchar_t *string, wchar_t value, size_t count)
{
    return wmemset(string, value, wcsnlen(string, count));
}

static inline wchar_t *_wcsset(wchar_t *string, wchar_t value)
{
    return wmemset(string, value, wcslen(string));
}

static inline errno_t _wcslwr_s(wchar_t *string, size_t size)
{
    umsshim_require(string && wcsnlen(string, size) < size, "_wcslwr_s", EINVAL, EINVAL);
    _wcslwr(string);
    return 0;
}

static inline errno_t _wcsupr_s(wchar_t *string, size_t size)
{
    umsshim_require(string && wcsnlen(string, size) < size, "_wcsupr_s", EINVAL, EINVAL);
    _wcsupr(string);
    return 0;
}

/* The form without the third parameter keeps its place in a thread-local variable. */
static inline wchar_t *_wcstok(wchar_t *string, const wchar_t *set)
{
    static __thread wchar_t *rest;

    return wcstok(string, set, &rest);
}

#ifdef __cplusplus
extern "C++" {
template <size_t size> static inline int swprintf_s(wchar_t (&to)[size], const wchar_t *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vswprintf_s(to, size, format, arguments);
    va_end(arguments);
    return length;
}
}
#endif

#endif
