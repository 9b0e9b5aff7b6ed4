/* SPDX-License-Identifier: MIT
 *
 * lstr.c - kernel32's lstrlen, lstrcpy and lstrcat. NULL has length 0, and is not copied.
 */
#include <string.h>

#include "winapi/linux/text.h"

INT WINAPI lstrlenA(LPCSTR str)
{
    return str ? (INT)strlen(str) : 0;
}

INT WINAPI lstrlenW(LPCWSTR str)
{
    return str ? (INT)win__wide_length(str) : 0;
}

LPSTR WINAPI lstrcpyA(LPSTR dst, LPCSTR src)
{
    return dst && src ? memmove(dst, src, strlen(src) + 1) : NULL;
}

LPWSTR WINAPI lstrcpyW(LPWSTR dst, LPCWSTR src)
{
    return dst && src ? memmove(dst, src, (win__wide_length(src) + 1) * sizeof *src) : NULL;
}

LPSTR WINAPI lstrcatA(LPSTR dst, LPCSTR src)
{
    return dst && lstrcpyA(dst + strlen(dst), src) ? dst : NULL;
}

LPWSTR WINAPI lstrcatW(LPWSTR dst, LPCWSTR src)
{
    return dst && lstrcpyW(dst + win__wide_length(dst), src) ? dst : NULL;
}

/* Copies at most n - 1 characters, and a zero. */
LPSTR WINAPI lstrcpynA(LPSTR dst, LPCSTR src, INT n)
{
    if (!dst || !src)
        return NULL;
    if (n <= 0)
        return dst;
    size_t length = strnlen(src, (size_t)n - 1);
    memmove(dst, src, length);
    dst[length] = 0;
    return dst;
}

LPWSTR WINAPI lstrcpynW(LPWSTR dst, LPCWSTR src, INT n)
{
    if (!dst || !src)
        return NULL;
    if (n <= 0)
        return dst;
    SIZE_T length = 0;
    while (length < (SIZE_T)n - 1 && src[length])
        length++;
    memmove(dst, src, length * sizeof *src);
    dst[length] = 0;
    return dst;
}
