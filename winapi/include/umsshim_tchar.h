/* SPDX-License-Identifier: MIT
 *
 * umsshim_tchar.h - tchar.h with _UNICODE: strings of 16-bit units, which libc does not have.
 *
 * The functions here work on such strings. Others, above all the printf family, are not declared: a
 * call fails to compile, and does not take 16-bit text for 32-bit text.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_UMSSHIM_TCHAR_H
#define UMSSHIM_UMSSHIM_TCHAR_H

#include "umsshim_crt.h"

#if __SIZEOF_WCHAR_T__ == 2
typedef wchar_t _TCHAR;
#define _T(quote) UMSSHIM_T2(L, quote)
#elif defined(__cplusplus)
typedef char16_t _TCHAR;
#define _T(quote) UMSSHIM_T2(u, quote)
#else
typedef unsigned short _TCHAR;
#define _T(quote) UMSSHIM_T2(u, quote)
#endif
#define UMSSHIM_T2(prefix, quote) prefix##quote
#define _TEXT(quote) _T(quote)
typedef _TCHAR _TSCHAR, _TUCHAR, _TXCHAR, _TINT;
#ifndef _TCHAR_DEFINED
#define _TCHAR_DEFINED
typedef _TCHAR TCHAR, *PTCHAR;
#endif

static inline size_t _tcslen(const _TCHAR *string)
{
    size_t length = 0;

    while (string[length])
        length++;
    return length;
}

static inline size_t _tcsnlen(const _TCHAR *string, size_t size)
{
    size_t length = 0;

    while (length < size && string[length])
        length++;
    return length;
}

static inline _TCHAR *_tcscpy(_TCHAR *to, const _TCHAR *from)
{
    return (_TCHAR *)__builtin_memcpy(to, from, (_tcslen(from) + 1) * sizeof(*from));
}

static inline _TCHAR *_tcscat(_TCHAR *to, const _TCHAR *from)
{
    _tcscpy(to + _tcslen(to), from);
    return to;
}

static inline errno_t _tcscpy_s(_TCHAR *to, size_t size, const _TCHAR *from)
{
    umsshim_require(to && from && size, "_tcscpy_s", EINVAL, EINVAL);
    umsshim_require(_tcsnlen(from, size) < size, "_tcscpy_s", ERANGE, (*to = 0, ERANGE));
    _tcscpy(to, from);
    return 0;
}

static inline errno_t _tcscat_s(_TCHAR *to, size_t size, const _TCHAR *from)
{
    size_t used = to ? _tcsnlen(to, size) : 0;

    umsshim_require(to && used < size, "_tcscat_s", EINVAL, EINVAL);
    return _tcscpy_s(to + used, size - used, from);
}

static inline int _tcsncmp(const _TCHAR *left, const _TCHAR *right, size_t count)
{
    for (; count && *left && *left == *right; count--) {
        left++;
        right++;
    }
    return count ? (int)*left - (int)*right : 0;
}
#define _tcscmp(left, right) _tcsncmp((left), (right), (size_t)-1)

static inline const _TCHAR *umsshim_tcschr(const _TCHAR *string, _TCHAR wanted)
{
    while (*string != wanted && *string)
        string++;
    return *string == wanted ? string : NULL;
}
#define _tcschr(string, wanted) ((_TCHAR *)umsshim_tcschr((string), (wanted)))

static inline int _ttoi(const _TCHAR *string)
{
    char digits[16];
    size_t count = 0;

    while (count < sizeof(digits) - 1 && string[count] && string[count] < 128) {
        digits[count] = (char)string[count];
        count++;
    }
    digits[count] = '\0';
    return atoi(digits);
}
#define _tstoi _ttoi

#ifdef __cplusplus
extern "C++" {
template <size_t size> static inline errno_t _tcscpy_s(_TCHAR (&to)[size], const _TCHAR *from)
{
    return _tcscpy_s(to, size, from);
}

template <size_t size> static inline errno_t _tcscat_s(_TCHAR (&to)[size], const _TCHAR *from)
{
    return _tcscat_s(to, size, from);
}
}
#endif

#endif
