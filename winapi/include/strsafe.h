/* SPDX-License-Identifier: MIT
 *
 * strsafe.h - StringCch and StringCb Copy, Cat, Length and Printf, for 8-bit strings.
 *
 * Sizes count the closing zero. A text that does not fit is cut, closed and reported.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#if __has_include(<../um/strsafe.h>)
#include <../um/strsafe.h>
#else
#include <../shared/strsafe.h>
#endif
#elif defined(_MSC_VER)
#include_next <strsafe.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <strsafe.h>

#if !defined(_WIN32) && !defined(UMSSHIM_STRSAFE_H)
#define UMSSHIM_STRSAFE_H

#include <windows.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In Wine this name is cut short and has a wrong digit. */
#define STRSAFE_E_INVALID_PARAMETER ((HRESULT)0x80070057)
#define STRSAFE_MAX_CCH 2147483647

static inline HRESULT StringCchLengthA(LPCSTR string, size_t size, size_t *length)
{
    size_t found;

    if (!string || size > STRSAFE_MAX_CCH)
        return STRSAFE_E_INVALID_PARAMETER;
    found = strnlen(string, size);
    if (length)
        *length = found < size ? found : 0;
    return found < size ? S_OK : STRSAFE_E_INVALID_PARAMETER;
}

__attribute__((__format__(__printf__, 3, 0))) static inline HRESULT
StringCchVPrintfA(LPSTR to, size_t size, LPCSTR format, va_list arguments)
{
    int length;

    if (size == 0 || size > STRSAFE_MAX_CCH)
        return STRSAFE_E_INVALID_PARAMETER;
    length = vsnprintf(to, size, format, arguments);
    return length >= 0 && (size_t)length < size ? S_OK : STRSAFE_E_INSUFFICIENT_BUFFER;
}

__attribute__((__format__(__printf__, 3, 4))) static inline HRESULT
StringCchPrintfA(LPSTR to, size_t size, LPCSTR format, ...)
{
    va_list arguments;
    HRESULT result;

    va_start(arguments, format);
    result = StringCchVPrintfA(to, size, format, arguments);
    va_end(arguments);
    return result;
}

static inline HRESULT StringCchCopyA(LPSTR to, size_t size, LPCSTR from)
{
    return StringCchPrintfA(to, size, "%s", from);
}

static inline HRESULT StringCchCatA(LPSTR to, size_t size, LPCSTR from)
{
    size_t used;
    HRESULT result = StringCchLengthA(to, size, &used);

    return result == S_OK ? StringCchCopyA(to + used, size - used, from) : result;
}

/* A char is one byte, so both families are the same. */
#define StringCbLengthA StringCchLengthA
#define StringCbVPrintfA StringCchVPrintfA
#define StringCbPrintfA StringCchPrintfA
#define StringCbCopyA StringCchCopyA
#define StringCbCatA StringCchCatA

#ifndef UNICODE
#define StringCchLength StringCchLengthA
#define StringCchVPrintf StringCchVPrintfA
#define StringCchPrintf StringCchPrintfA
#define StringCchCopy StringCchCopyA
#define StringCchCat StringCchCatA
#define StringCbLength StringCchLengthA
#define StringCbVPrintf StringCchVPrintfA
#define StringCbPrintf StringCchPrintfA
#define StringCbCopy StringCchCopyA
#define StringCbCat StringCchCatA
#endif

#endif
#endif /* _MSC_VER */
