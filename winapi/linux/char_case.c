/* SPDX-License-Identifier: MIT
 *
 * char_case.c - CharUpper, CharLower and their kin: they change a text in its place, or one
 * character that is passed instead of a pointer. Also CharNext, CharPrev, IsCharAlpha and its kin.
 *
 * The text of the A calls is UTF-8. A character whose other case takes another number of bytes
 * stays as it is, as the text cannot move.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/code_page.h"
#include "winapi/linux/letter.h"
#include "winapi/linux/text.h"

typedef WCHAR (*mapping)(WCHAR);

static DWORD map_wide(WCHAR *text, SIZE_T units, mapping map)
{
    for (SIZE_T i = 0; i < units; i++)
        text[i] = map(text[i]);
    return (DWORD)units;
}

static DWORD map_bytes(char *text, SIZE_T bytes, mapping map)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + bytes;
    while (at < end) {
        char *start = (char *)text + (at - (const unsigned char *)text), other[MOST_UTF8];
        uint32_t point = win__next_of_utf8(&at, end);
        if (point > 0xFFFF)
            continue;
        unsigned length = win__put_utf8(other, map((WCHAR)point));
        if ((const char *)at - start == (ptrdiff_t)length)
            memcpy(start, other, length);
    }
    return (DWORD)bytes;
}

/* A value below 0x10000 is a character instead of a pointer; the call returns a character, then. */
static bool is_character(const void *text)
{
    return (uintptr_t)text < 0x10000;
}

static LPWSTR change_wide(LPWSTR text, mapping map)
{
    if (is_character(text))
        return (LPWSTR)(uintptr_t)map((WCHAR)(uintptr_t)text);
    map_wide(text, win__wide_length(text), map);
    return text;
}

/* A single byte that is only a part of a character stays as it is. */
static LPSTR change_bytes(LPSTR text, mapping map)
{
    unsigned char byte = (unsigned char)(uintptr_t)text;
    if (is_character(text))
        return (LPSTR)(uintptr_t)(byte < 0x80 ? map(byte) : byte);
    map_bytes(text, strlen(text), map);
    return text;
}

LPSTR WINAPI CharUpperA(LPSTR lpsz)
{
    return change_bytes(lpsz, win__upper);
}

LPWSTR WINAPI CharUpperW(LPWSTR lpsz)
{
    return change_wide(lpsz, win__upper);
}

LPSTR WINAPI CharLowerA(LPSTR lpsz)
{
    return change_bytes(lpsz, win__lower);
}

LPWSTR WINAPI CharLowerW(LPWSTR lpsz)
{
    return change_wide(lpsz, win__lower);
}

DWORD WINAPI CharUpperBuffA(LPSTR lpsz, DWORD cchLength)
{
    return lpsz ? map_bytes(lpsz, cchLength, win__upper) : 0;
}

DWORD WINAPI CharUpperBuffW(LPWSTR lpsz, DWORD cchLength)
{
    return lpsz ? map_wide(lpsz, cchLength, win__upper) : 0;
}

DWORD WINAPI CharLowerBuffA(LPSTR lpsz, DWORD cchLength)
{
    return lpsz ? map_bytes(lpsz, cchLength, win__lower) : 0;
}

DWORD WINAPI CharLowerBuffW(LPWSTR lpsz, DWORD cchLength)
{
    return lpsz ? map_wide(lpsz, cchLength, win__lower) : 0;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Stops at the zero at the end, as no character contains a zero. */
LPSTR WINAPI CharNextA(LPCSTR lpsz)
{
    const unsigned char *at = (const unsigned char *)lpsz;
    if (*at)
        win__next_of_utf8(&at, at + strnlen(lpsz, MOST_UTF8));
    return (LPSTR)(uintptr_t)at;
}

LPWSTR WINAPI CharNextW(LPCWSTR lpsz)
{
    return (LPWSTR)(uintptr_t)(*lpsz ? lpsz + 1 : lpsz);
}

LPSTR WINAPI CharPrevA(LPCSTR lpszStart, LPCSTR lpszCurrent)
{
    const char *at = lpszCurrent;
    for (int i = 0; i < MOST_UTF8 && at > lpszStart; i++)
        if (!is_continuation(*--at))
            break;
    const unsigned char *next = (const unsigned char *)at;
    if (at < lpszCurrent) {
        win__next_of_utf8(&next, (const unsigned char *)lpszCurrent);
        if ((const char *)next != lpszCurrent) /* the bytes between are no character */
            at = lpszCurrent - 1;
    }
    return (LPSTR)(uintptr_t)at;
}

LPWSTR WINAPI CharPrevW(LPCWSTR lpszStart, LPCWSTR lpszCurrent)
{
    return (LPWSTR)(uintptr_t)(lpszCurrent > lpszStart ? lpszCurrent - 1 : lpszStart);
}

LPSTR WINAPI CharNextExA(WORD CodePage, LPCSTR lpCurrentChar, DWORD dwFlags)
{
    (void)dwFlags;
    if (win__page_number(CodePage) == CP_UTF8)
        return CharNextA(lpCurrentChar);
    return (LPSTR)(uintptr_t)(*lpCurrentChar ? lpCurrentChar + 1 : lpCurrentChar);
}

LPSTR WINAPI CharPrevExA(WORD CodePage, LPCSTR lpStart, LPCSTR lpCurrentChar, DWORD dwFlags)
{
    (void)dwFlags;
    if (win__page_number(CodePage) == CP_UTF8)
        return CharPrevA(lpStart, lpCurrentChar);
    return (LPSTR)(uintptr_t)(lpCurrentChar > lpStart ? lpCurrentChar - 1 : lpStart);
}

/* ---- Questions ----------------------------------------------------------------------------- */

BOOL WINAPI IsCharAlphaW(WCHAR ch)
{
    return (win__class(ch) & C1_ALPHA) != 0;
}

BOOL WINAPI IsCharAlphaNumericW(WCHAR ch)
{
    return (win__class(ch) & (C1_ALPHA | C1_DIGIT)) != 0;
}

BOOL WINAPI IsCharUpperW(WCHAR ch)
{
    return (win__class(ch) & C1_UPPER) != 0;
}

BOOL WINAPI IsCharLowerW(WCHAR ch)
{
    return (win__class(ch) & C1_LOWER) != 0;
}

/* A byte of a longer character is no letter and no digit here. */
BOOL WINAPI IsCharAlphaA(CHAR ch)
{
    return ch > 0 && IsCharAlphaW((WCHAR)ch);
}

BOOL WINAPI IsCharAlphaNumericA(CHAR ch)
{
    return ch > 0 && IsCharAlphaNumericW((WCHAR)ch);
}

BOOL WINAPI IsCharUpperA(CHAR ch)
{
    return ch > 0 && IsCharUpperW((WCHAR)ch);
}

BOOL WINAPI IsCharLowerA(CHAR ch)
{
    return ch > 0 && IsCharLowerW((WCHAR)ch);
}
