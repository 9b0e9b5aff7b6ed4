/* SPDX-License-Identifier: MIT
 *
 * wide_number.c - see wide.h: converts 16-bit text to numbers, dates and 8-bit text, and back.
 *
 * libc reads the numbers, from a copy of the text up to the first unit that is not ASCII. Each unit
 * is one character of the copy, so the number ends at the same place in both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/text.h"
#include "winapi/linux/wide.h"

struct digits {
    char small[64];
    char *text; /* NULL: no memory */
};

static void read_digits(struct digits *digits, const WCHAR *string)
{
    size_t length = 0;
    while (string[length] && string[length] < 128)
        length++;
    digits->text = length < sizeof digits->small ? digits->small : malloc(length + 1);
    if (!digits->text) {
        errno = ENOMEM;
        return;
    }
    for (size_t i = 0; i < length; i++)
        digits->text[i] = (char)string[i];
    digits->text[length] = 0;
}

/* Sets *end to the end of the number in the program's text. */
static void finish(struct digits *digits, const WCHAR *string, const char *behind, WCHAR **end)
{
    if (end)
        *end = (WCHAR *)string + (digits->text ? behind - digits->text : 0);
    if (digits->text != digits->small)
        free(digits->text);
}

long umsshim_w_wcstol(const WCHAR *string, WCHAR **end, int base)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    long value = digits.text ? strtol(digits.text, &behind, base) : 0;
    finish(&digits, string, behind, end);
    return value;
}

unsigned long umsshim_w_wcstoul(const WCHAR *string, WCHAR **end, int base)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    unsigned long value = digits.text ? strtoul(digits.text, &behind, base) : 0;
    finish(&digits, string, behind, end);
    return value;
}

long long umsshim_w_wcstoll(const WCHAR *string, WCHAR **end, int base)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    long long value = digits.text ? strtoll(digits.text, &behind, base) : 0;
    finish(&digits, string, behind, end);
    return value;
}

unsigned long long umsshim_w_wcstoull(const WCHAR *string, WCHAR **end, int base)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    unsigned long long value = digits.text ? strtoull(digits.text, &behind, base) : 0;
    finish(&digits, string, behind, end);
    return value;
}

double umsshim_w_wcstod(const WCHAR *string, WCHAR **end)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    double value = digits.text ? strtod(digits.text, &behind) : 0;
    finish(&digits, string, behind, end);
    return value;
}

float umsshim_w_wcstof(const WCHAR *string, WCHAR **end)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    float value = digits.text ? strtof(digits.text, &behind) : 0;
    finish(&digits, string, behind, end);
    return value;
}

long double umsshim_w_wcstold(const WCHAR *string, WCHAR **end)
{
    struct digits digits;
    char *behind = NULL;
    read_digits(&digits, string);
    long double value = digits.text ? strtold(digits.text, &behind) : 0;
    finish(&digits, string, behind, end);
    return value;
}

/* ---- 8-bit text ------------------------------------------------------------------------------ */

/* Without a buffer only counts the length. EILSEQ: the text is not valid. */
size_t umsshim_w_mbstowcs(WCHAR *to, const char *from, size_t count)
{
    const unsigned char *at = (const unsigned char *)from, *end = at + strlen(from);
    size_t made = 0;
    while (at < end) {
        WCHAR units[2];
        uint32_t point = win__next_of_utf8(&at, end);
        if (point == BAD_POINT) {
            errno = EILSEQ;
            return (size_t)-1;
        }
        unsigned many = win__put_utf16(units, point);
        if (to && made + many > count)
            return made;
        if (to)
            memcpy(to + made, units, many * sizeof *units);
        made += many;
    }
    if (to && made < count)
        to[made] = 0;
    return made;
}

size_t umsshim_w_wcstombs(char *to, const WCHAR *from, size_t count)
{
    const WCHAR *end = from + win__wide_length(from);
    size_t made = 0;
    while (from < end) {
        char bytes[MOST_UTF8];
        uint32_t point = win__next_of_utf16(&from, end);
        if (point == BAD_POINT) {
            errno = EILSEQ;
            return (size_t)-1;
        }
        unsigned many = win__put_utf8(bytes, point);
        if (to && made + many > count)
            return made;
        if (to)
            memcpy(to + made, bytes, many);
        made += many;
    }
    if (to && made < count)
        to[made] = 0;
    return made;
}

/* A character of two units does not fit into one: EILSEQ, in both directions. */
int umsshim_w_mbtowc(WCHAR *to, const char *from, size_t count)
{
    if (!from)
        return 0; /* there are no shift states */
    const unsigned char *at = (const unsigned char *)from;
    uint32_t point = count ? win__next_of_utf8(&at, at + count) : BAD_POINT;
    if (point > 0xFFFF) {
        errno = EILSEQ;
        return -1;
    }
    if (to)
        *to = (WCHAR)point;
    return point ? (int)(at - (const unsigned char *)from) : 0;
}

int umsshim_w_wctomb(char *to, WCHAR value)
{
    const WCHAR *at = &value;
    if (!to)
        return 0;
    uint32_t point = win__next_of_utf16(&at, at + 1);
    if (point == BAD_POINT) {
        errno = EILSEQ;
        return -1;
    }
    return (int)win__put_utf8(to, point);
}

size_t umsshim_w_wcsftime(WCHAR *to, size_t size, const WCHAR *format, const struct tm *date)
{
    char *narrow = win__narrow(format, win__wide_length(format), NULL);
    size_t room = size * 3 + 1, length = 0;
    char *text = narrow && size ? malloc(room) : NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    size_t made = text ? strftime(text, room, narrow, date) : 0;
#pragma GCC diagnostic pop
    WCHAR *wide = made ? win__widen(text, made, &length) : NULL;
    bool fits = wide && length < size;
    if (fits)
        memcpy(to, wide, (length + 1) * sizeof *to);
    else if (size)
        *to = 0;
    free(wide);
    free(text);
    free(narrow);
    return fits ? length : 0;
}
