/* SPDX-License-Identifier: MIT
 *
 * text.c - converts UTF-16 to UTF-8 and back.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/text.h"

SIZE_T win__wide_length(const WCHAR *wide)
{
    SIZE_T length = 0;
    while (wide[length])
        length++;
    return length;
}

static bool is_lead(uint32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_trail(uint32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

unsigned win__put_utf8(char *to, uint32_t point)
{
    unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    *to++ = (char)(first[more] | point >> (6 * more));
    for (unsigned i = more; i-- > 0;)
        *to++ = (char)(0x80 | (point >> (6 * i) & 0x3F));
    return more + 1;
}

unsigned win__put_utf16(WCHAR *to, uint32_t point)
{
    if (point < 0x10000) {
        *to = (WCHAR)point;
        return 1;
    }
    to[0] = (WCHAR)(0xD800 + ((point - 0x10000) >> 10));
    to[1] = (WCHAR)(0xDC00 + (point & 0x3FF));
    return 2;
}

uint32_t win__next_of_utf16(const WCHAR **at, const WCHAR *end)
{
    uint32_t point = *(*at)++;
    if (is_lead(point) && *at < end && is_trail(**at))
        return 0x10000 + ((point & 0x3FF) << 10) + (*(*at)++ & 0x3FF);
    return is_lead(point) || is_trail(point) ? BAD_POINT : point;
}

/* Whether a second byte may follow this first one. It shows overlong forms, surrogates, and points
 * past the last one. */
static bool may_be_second(uint32_t first, uint32_t second)
{
    switch (first) {
    case 0xE0:
        return second >= 0xA0 && second < 0xC0;
    case 0xED:
        return second >= 0x80 && second < 0xA0;
    case 0xF0:
        return second >= 0x90 && second < 0xC0;
    case 0xF4:
        return second >= 0x80 && second < 0x90;
    default:
        return second >= 0x80 && second < 0xC0;
    }
}

uint32_t win__next_of_utf8(const unsigned char **at, const unsigned char *end)
{
    uint32_t first = *(*at)++;
    if (first < 0x80)
        return first;
    if (first < 0xC2 || first > 0xF4)
        return BAD_POINT;
    unsigned more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    uint32_t point = first & (0x3Fu >> more);
    for (unsigned i = 0; i < more; i++) {
        if (*at == end || !may_be_second(i ? 0 : first, **at))
            return BAD_POINT;
        point = point << 6 | (*(*at)++ & 0x3F);
    }
    return point;
}

char *win__narrow(const WCHAR *wide, SIZE_T units, SIZE_T *length)
{
    char *narrow = malloc(units * 3 + 1), *to = narrow;
    if (!narrow)
        return NULL;
    for (const WCHAR *at = wide, *end = wide + units; at < end;) {
        uint32_t point = win__next_of_utf16(&at, end);
        to += win__put_utf8(to, point == BAD_POINT ? REPLACEMENT_POINT : point);
    }
    *to = 0;
    if (length)
        *length = (SIZE_T)(to - narrow);
    return narrow;
}

WCHAR *win__widen(const char *narrow, SIZE_T bytes, SIZE_T *length)
{
    WCHAR *wide = malloc((bytes + 1) * sizeof *wide), *to = wide;
    const unsigned char *at = (const unsigned char *)narrow, *end = at + bytes;
    if (!wide)
        return NULL;
    while (at < end) {
        uint32_t point = win__next_of_utf8(&at, end);
        to += win__put_utf16(to, point == BAD_POINT ? REPLACEMENT_POINT : point);
    }
    *to = 0;
    if (length)
        *length = (SIZE_T)(to - wide);
    return wide;
}

char *win__narrow_string(const WCHAR *wide)
{
    char *narrow = wide ? win__narrow(wide, win__wide_length(wide), NULL) : NULL;
    if (!narrow)
        win__fail(wide ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
    return narrow;
}

bool win__narrow_if_given(const WCHAR *wide, char **narrow)
{
    *narrow = wide ? win__narrow_string(wide) : NULL;
    return !wide || *narrow;
}

WCHAR *win__widen_string(const char *narrow)
{
    WCHAR *wide = narrow ? win__widen(narrow, strlen(narrow), NULL) : NULL;
    if (!wide)
        win__fail(narrow ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
    return wide;
}

DWORD win__give_text(const char *text, char *buffer, DWORD size)
{
    size_t length = strlen(text);
    if (length >= size || !buffer)
        return (DWORD)length + 1;
    memcpy(buffer, text, length + 1);
    return (DWORD)length;
}

DWORD win__give_wide(const char *text, WCHAR *buffer, DWORD size)
{
    SIZE_T length;
    WCHAR *wide = win__widen(text, strlen(text), &length);
    if (!wide)
        return (DWORD)win__fail(ERROR_NOT_ENOUGH_MEMORY);
    bool fits = length < size && buffer;
    if (fits)
        memcpy(buffer, wide, (length + 1) * sizeof *wide);
    free(wide);
    return (DWORD)(fits ? length : length + 1);
}
