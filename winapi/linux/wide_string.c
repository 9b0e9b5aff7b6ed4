/* SPDX-License-Identifier: MIT
 *
 * wide_string.c - see wide.h: strings and arrays of 16-bit units.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/letter.h"
#include "winapi/linux/text.h"
#include "winapi/linux/wide.h"

size_t umsshim_w_wcslen(const WCHAR *string)
{
    return win__wide_length(string);
}

size_t umsshim_w_wcsnlen(const WCHAR *string, size_t most)
{
    size_t length = 0;
    while (length < most && string[length])
        length++;
    return length;
}

WCHAR *umsshim_w_wmemcpy(WCHAR *to, const WCHAR *from, size_t count)
{
    return memcpy(to, from, count * sizeof *to);
}

WCHAR *umsshim_w_wmemmove(WCHAR *to, const WCHAR *from, size_t count)
{
    return memmove(to, from, count * sizeof *to);
}

WCHAR *umsshim_w_wmemset(WCHAR *to, WCHAR value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = value;
    return to;
}

int umsshim_w_wmemcmp(const WCHAR *left, const WCHAR *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

WCHAR *umsshim_w_wmemchr(const WCHAR *from, WCHAR wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (from[i] == wanted)
            return (WCHAR *)from + i;
    return NULL;
}

WCHAR *umsshim_w_wcpcpy(WCHAR *to, const WCHAR *from)
{
    size_t length = win__wide_length(from);
    memcpy(to, from, (length + 1) * sizeof *to);
    return to + length;
}

WCHAR *umsshim_w_wcscpy(WCHAR *to, const WCHAR *from)
{
    umsshim_w_wcpcpy(to, from);
    return to;
}

WCHAR *umsshim_w_wcsncpy(WCHAR *to, const WCHAR *from, size_t count)
{
    size_t length = umsshim_w_wcsnlen(from, count);
    memcpy(to, from, length * sizeof *to);
    umsshim_w_wmemset(to + length, 0, count - length);
    return to;
}

WCHAR *umsshim_w_wcscat(WCHAR *to, const WCHAR *from)
{
    umsshim_w_wcpcpy(to + win__wide_length(to), from);
    return to;
}

WCHAR *umsshim_w_wcsncat(WCHAR *to, const WCHAR *from, size_t count)
{
    size_t used = win__wide_length(to), length = umsshim_w_wcsnlen(from, count);
    memcpy(to + used, from, length * sizeof *to);
    to[used + length] = 0;
    return to;
}

int umsshim_w_wcsncmp(const WCHAR *left, const WCHAR *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (left[i] != right[i] || !left[i])
            return (int)left[i] - (int)right[i];
    return 0;
}

int umsshim_w_wcscmp(const WCHAR *left, const WCHAR *right)
{
    return umsshim_w_wcsncmp(left, right, SIZE_MAX);
}

int umsshim_w_wcsncasecmp(const WCHAR *left, const WCHAR *right, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int difference = (int)win__lower(left[i]) - (int)win__lower(right[i]);
        if (difference || !left[i])
            return difference;
    }
    return 0;
}

int umsshim_w_wcscasecmp(const WCHAR *left, const WCHAR *right)
{
    return umsshim_w_wcsncasecmp(left, right, SIZE_MAX);
}

/* As in the locale "C", in which programs start on Windows. */
int umsshim_w_wcscoll(const WCHAR *left, const WCHAR *right)
{
    return umsshim_w_wcscmp(left, right);
}

WCHAR *umsshim_w_wcschr(const WCHAR *string, WCHAR wanted)
{
    return umsshim_w_wmemchr(string, wanted, win__wide_length(string) + 1);
}

WCHAR *umsshim_w_wcsrchr(const WCHAR *string, WCHAR wanted)
{
    for (size_t i = win__wide_length(string) + 1; i-- > 0;)
        if (string[i] == wanted)
            return (WCHAR *)string + i;
    return NULL;
}

WCHAR *umsshim_w_wcsstr(const WCHAR *string, const WCHAR *wanted)
{
    size_t length = win__wide_length(wanted);
    for (;; string++) {
        if (umsshim_w_wcsncmp(string, wanted, length) == 0)
            return (WCHAR *)string;
        if (!*string)
            return NULL;
    }
}

/* The number of units from the start that are in the set, or are not in it. */
static size_t span(const WCHAR *string, const WCHAR *set, bool in)
{
    size_t length = 0, many = win__wide_length(set);
    while (string[length] && !!umsshim_w_wmemchr(set, string[length], many) == in)
        length++;
    return length;
}

size_t umsshim_w_wcsspn(const WCHAR *string, const WCHAR *set)
{
    return span(string, set, true);
}

size_t umsshim_w_wcscspn(const WCHAR *string, const WCHAR *set)
{
    return span(string, set, false);
}

WCHAR *umsshim_w_wcspbrk(const WCHAR *string, const WCHAR *set)
{
    string += span(string, set, false);
    return *string ? (WCHAR *)string : NULL;
}

WCHAR *umsshim_w_wcstok(WCHAR *string, const WCHAR *set, WCHAR **rest)
{
    WCHAR *word = string ? string : *rest;
    if (!word)
        return NULL;
    word += span(word, set, true);
    WCHAR *end = word + span(word, set, false);
    *rest = *end ? end + 1 : NULL;
    if (end == word)
        return NULL;
    *end = 0;
    return word;
}

WCHAR *umsshim_w_wcsdup(const WCHAR *string)
{
    WCHAR *copy = malloc((win__wide_length(string) + 1) * sizeof *copy);
    return copy ? umsshim_w_wcscpy(copy, string) : NULL;
}
