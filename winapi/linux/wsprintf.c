/* SPDX-License-Identifier: MIT
 *
 * wsprintf.c - user32's wsprintf: at most 1,024 characters with the zero, and no fractions.
 */
#include "winapi/linux/printing.h"

enum { MOST = 1024 };

INT WINAPI wvsprintfA(LPSTR lpOut, LPCSTR lpFmt, va_list arglist)
{
    struct printing out = {.user32 = true, .to = lpOut, .room = MOST - 1};
    va_list arguments;
    va_copy(arguments, arglist);
    win__print(&out, lpFmt, &arguments);
    va_end(arguments);
    INT length = (INT)(out.length < out.room ? out.length : out.room);
    lpOut[length] = 0;
    return length;
}

INT WINAPI wvsprintfW(LPWSTR lpOut, LPCWSTR lpFmt, va_list arglist)
{
    struct printing out = {.wide = true, .user32 = true, .to = lpOut, .room = MOST - 1};
    va_list arguments;
    va_copy(arguments, arglist);
    win__print(&out, lpFmt, &arguments);
    va_end(arguments);
    INT length = (INT)(out.length < out.room ? out.length : out.room);
    lpOut[length] = 0;
    return length;
}

INT WINAPIV wsprintfA(LPSTR lpOut, LPCSTR lpFmt, ...)
{
    va_list arguments;
    va_start(arguments, lpFmt);
    INT length = wvsprintfA(lpOut, lpFmt, arguments);
    va_end(arguments);
    return length;
}

INT WINAPIV wsprintfW(LPWSTR lpOut, LPCWSTR lpFmt, ...)
{
    va_list arguments;
    va_start(arguments, lpFmt);
    INT length = wvsprintfW(lpOut, lpFmt, arguments);
    va_end(arguments);
    return length;
}
