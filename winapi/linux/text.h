/* SPDX-License-Identifier: MIT
 *
 * text.h - between the 16-bit text of the W calls and the UTF-8 that everything else here speaks.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TEXT_H
#define UMSSHIM_WINAPI_LINUX_TEXT_H

#include "winapi/linux/surface.h"

enum {
    REPLACEMENT_POINT = 0xFFFD,
    BAD_POINT = 0x110000, /* of text that is not valid */
    MOST_UTF8 = 4,        /* bytes of one code point */
};

/* One code point, never past `end`; BAD_POINT: the longest piece that cannot become one is passed
 * over. In UTF-8 overlong forms and surrogates are not valid, in UTF-16 surrogates alone. */
uint32_t win__next_of_utf8(const unsigned char **at, const unsigned char *end);
uint32_t win__next_of_utf16(const WCHAR **at, const WCHAR *end);
/* Writes a code point that is valid; returns the number of units, at most MOST_UTF8 and 2. */
unsigned win__put_utf8(char *to, uint32_t point);
unsigned win__put_utf16(WCHAR *to, uint32_t point);

SIZE_T win__wide_length(const WCHAR *wide);

/* The text in malloc's memory, for the caller to free; NULL: no memory. Invalid text becomes
 * U+FFFD. The length, without the zero that is always added, goes to *length unless that is NULL.
 * */
char *win__narrow(const WCHAR *wide, SIZE_T units, SIZE_T *length);
WCHAR *win__widen(const char *narrow, SIZE_T bytes, SIZE_T *length);
/* The same up to the zero, for a parameter of a call. NULL sets the last error: no text was given
 * (ERROR_INVALID_PARAMETER), or there is no memory. */
char *win__narrow_string(const WCHAR *wide);
WCHAR *win__widen_string(const char *narrow);
/* The same of a text that need not be given: then *narrow is NULL. False sets the last error: there
 * is no memory. */
bool win__narrow_if_given(const WCHAR *wide, char **narrow);

/* The convention of the calls that fill a buffer of the caller's with text: the length without the
 * zero, or the size needed with it, and then the buffer is as it was. */
DWORD win__give_text(const char *text, char *buffer, DWORD size);
DWORD win__give_wide(const char *text, WCHAR *buffer, DWORD size); /* 0: no memory */

#endif
