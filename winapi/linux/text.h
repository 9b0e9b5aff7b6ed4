/* SPDX-License-Identifier: MIT
 *
 * text.h - converts between the 16-bit text of the W calls and UTF-8, which everything else here
 * uses.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TEXT_H
#define UMSSHIM_WINAPI_LINUX_TEXT_H

#include "winapi/linux/surface.h"

enum {
    REPLACEMENT_POINT = 0xFFFD,
    BAD_POINT = 0x110000, /* for text that is not valid */
    MOST_UTF8 = 4,        /* bytes of one code point */
};

/* Reads one code point, never past `end`. BAD_POINT: the text is not valid there, and the longest
 * invalid piece is skipped. Overlong forms and surrogates are not valid in UTF-8, single surrogates
 * in UTF-16. */
uint32_t win__next_of_utf8(const unsigned char **at, const unsigned char *end);
uint32_t win__next_of_utf16(const WCHAR **at, const WCHAR *end);
/* Writes a valid code point. Returns the number of units, at most MOST_UTF8 or 2. */
unsigned win__put_utf8(char *to, uint32_t point);
unsigned win__put_utf16(WCHAR *to, uint32_t point);

SIZE_T win__wide_length(const WCHAR *wide);

/* The text in malloc's memory, which the caller frees; NULL: no memory. Invalid text becomes
 * U+FFFD. A zero is added. *length gets the length without it, unless that is NULL. */
char *win__narrow(const WCHAR *wide, SIZE_T units, SIZE_T *length);
WCHAR *win__widen(const char *narrow, SIZE_T bytes, SIZE_T *length);
/* The same for a parameter of a call, up to its zero. NULL with the last error: no text
 * (ERROR_INVALID_PARAMETER), or no memory. */
char *win__narrow_string(const WCHAR *wide);
WCHAR *win__widen_string(const char *narrow);
/* The same for a text that may be NULL: then *narrow is NULL. False with the last error: no
 * memory. */
bool win__narrow_if_given(const WCHAR *wide, char **narrow);

/* As calls do that fill the caller's buffer: returns the length without the zero; or, if the buffer
 * is too small, the size with the zero, and leaves the buffer as it was. */
DWORD win__give_text(const char *text, char *buffer, DWORD size);
DWORD win__give_wide(const char *text, WCHAR *buffer, DWORD size); /* 0: no memory */

#endif
