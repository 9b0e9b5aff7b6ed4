/* SPDX-License-Identifier: MIT
 *
 * text.c - UTF-16 to UTF-8 and back.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/text.h"

enum { REPLACEMENT = 0xFFFD };

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

static char *put_utf8(char *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (char)point;
        return to;
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
    return to;
}

char *win__narrow(const WCHAR *wide, SIZE_T units, SIZE_T *length)
{
    char *narrow = malloc(units * 3 + 1), *to = narrow;
    if (!narrow)
        return NULL;
    for (SIZE_T i = 0; i < units; i++) {
        uint32_t point = wide[i];
        if (is_lead(point) && i + 1 < units && is_trail(wide[i + 1]))
            point = 0x10000 + ((point & 0x3FF) << 10) + (wide[++i] & 0x3FF);
        else if (is_lead(point) || is_trail(point))
            point = REPLACEMENT;
        to = put_utf8(to, point);
    }
    *to = 0;
    if (length)
        *length = (SIZE_T)(to - narrow);
    return narrow;
}

/* One code point from UTF-8, never past `end`; overlong and surrogate forms are not valid. */
static uint32_t next_point(const unsigned char **at, const unsigned char *end)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    uint32_t first = *(*at)++;
    int more = first < 0x80       ? 0
               : first >> 5 == 6  ? 1
               : first >> 4 == 14 ? 2
               : first >> 3 == 30 ? 3
                                  : -1;
    if (more < 0)
        return REPLACEMENT;
    uint32_t point = more ? first & (0x3Fu >> more) : first;
    for (int i = 0; i < more; i++) {
        if (*at == end || (**at & 0xC0) != 0x80)
            return REPLACEMENT;
        point = point << 6 | (*(*at)++ & 0x3F);
    }
    bool valid = point >= smallest[more] && point < 0x110000 && !is_lead(point) && !is_trail(point);
    return valid ? point : REPLACEMENT;
}

WCHAR *win__widen(const char *narrow, SIZE_T bytes, SIZE_T *length)
{
    WCHAR *wide = malloc((bytes + 1) * sizeof *wide), *to = wide;
    const unsigned char *at = (const unsigned char *)narrow, *end = at + bytes;
    if (!wide)
        return NULL;
    while (at < end) {
        uint32_t point = next_point(&at, end);
        if (point >= 0x10000) {
            *to++ = (WCHAR)(0xD800 + ((point - 0x10000) >> 10));
            point = 0xDC00 + (point & 0x3FF);
        }
        *to++ = (WCHAR)point;
    }
    *to = 0;
    if (length)
        *length = (SIZE_T)(to - wide);
    return wide;
}
