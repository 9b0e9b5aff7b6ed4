/* SPDX-License-Identifier: MIT
 *
 * stdlib.h - libc's, plus Microsoft's conversions and helpers.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/stdlib.h>
#elif defined(_MSC_VER)
#include_next <stdlib.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <stdlib.h>

#if !defined(_WIN32) && !defined(UMSSHIM_STDLIB_H)
#define UMSSHIM_STDLIB_H

#include "umsshim_crt.h"

#ifndef __cplusplus
int putenv(char *setting); /* libc hides it with -std=c11 */
#endif

#ifndef _countof
#define _countof(array) (sizeof(array) / sizeof((array)[0]))
#endif
#define _MAX_PATH 260
#define _MAX_DRIVE 3
#define _MAX_DIR 256
#define _MAX_FNAME 256
#define _MAX_EXT 256

#define _atoi64 atoll
#define _strtoi64 strtoll
#define _strtoui64 strtoull
#define _putenv putenv
#define _byteswap_ushort __builtin_bswap16
#define _byteswap_ulong __builtin_bswap32
#define _byteswap_uint64 __builtin_bswap64

/* Any base from 2 to 36; `to` has room, 65 characters at most. */
static inline char *_ui64toa(unsigned long long value, char *to, int base)
{
    char digits[64];
    char *at = to;
    int count = 0;

    do {
        int digit = (int)(value % (unsigned)base);

        digits[count++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value /= (unsigned)base;
    } while (value);
    while (count)
        *at++ = digits[--count];
    *at = '\0';
    return to;
}

/* Only base ten knows a sign. */
static inline char *_i64toa(long long value, char *to, int base)
{
    if (base != 10 || value >= 0)
        return _ui64toa((unsigned long long)value, to, base);
    *to = '-';
    _ui64toa(0 - (unsigned long long)value, to + 1, base);
    return to;
}

static inline char *_itoa(int value, char *to, int base)
{
    return base == 10 ? _i64toa(value, to, 10) : _ui64toa((unsigned)value, to, base);
}

#define _ltoa(value, to, base) _itoa((int)(value), (to), (base)) /* long is 32 bits there */
#define _ultoa(value, to, base) _ui64toa((unsigned)(value), (to), (base))
#define itoa _itoa

static inline errno_t _itoa_s(int value, char *to, size_t size, int base)
{
    char text[66];

    umsshim_require(to && size && base >= 2 && base <= 36, "_itoa_s");
    _itoa(value, text, base);
    umsshim_require(__builtin_strlen(text) < size, "_itoa_s");
    __builtin_strcpy(to, text);
    return 0;
}

static inline errno_t _dupenv_s(char **value, size_t *size, const char *name)
{
    const char *found;

    umsshim_require(value && name, "_dupenv_s");
    found = getenv(name);
    *value = found ? __builtin_strdup(found) : NULL;
    if (size)
        *size = *value ? __builtin_strlen(*value) + 1 : 0;
    return found && !*value ? ENOMEM : 0;
}

static inline errno_t getenv_s(size_t *needed, char *to, rsize_t size, const char *name)
{
    const char *found;

    umsshim_require(needed && name && (to || !size), "getenv_s");
    found = getenv(name);
    *needed = found ? __builtin_strlen(found) + 1 : 0;
    if (size)
        *to = '\0';
    if (!size || !found)
        return 0;
    if (*needed > size)
        return ERANGE;
    __builtin_strcpy(to, found);
    return 0;
}

#ifdef __cplusplus
extern "C++" {
template <size_t room> static inline errno_t _itoa_s(int value, char (&to)[room], int base)
{
    return _itoa_s(value, to, room, base);
}
}
#endif

#endif
#endif /* _MSC_VER */
