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
#if !defined(_WIN32) && __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide_libc.h"
#endif
#include_next <stdlib.h>

#if !defined(_WIN32) && !defined(UMSSHIM_STDLIB_H)
#define UMSSHIM_STDLIB_H

#include <time.h>

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
int putenv(char *setting);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
int getentropy(void *to, size_t size);
#endif

#ifndef _countof
#define _countof(array) (sizeof(array) / sizeof((array)[0]))
#endif
#define _MAX_PATH 260
#define _MAX_DRIVE 3
#define _MAX_DIR 256
#define _MAX_FNAME 256
#define _MAX_EXT 256

#ifdef __cplusplus
extern "C" {
#endif
/* The library defines these functions. The program may pass NULL for a part of a path. Forward
 * slashes and backslashes divide a path. */
void _splitpath(const char *path, char *drive, char *folder, char *name, char *extension);
errno_t _splitpath_s(const char *path, char *drive, size_t drive_size, char *folder,
                     size_t folder_size, char *name, size_t name_size, char *extension,
                     size_t extension_size);
void _makepath(char *path, const char *drive, const char *folder, const char *name,
               const char *extension);
errno_t _makepath_s(char *path, size_t size, const char *drive, const char *folder,
                    const char *name, const char *extension);
/* The function does not follow links. `to` is NULL: the path is in malloc's memory. */
char *_fullpath(char *to, const char *path, size_t size);
#ifdef __cplusplus
}
#endif

#define _atoi64 atoll
#define _abs64 llabs
#define _onexit atexit
#define _strtoi64 strtoll
#define _strtoui64 strtoull
#define _putenv putenv
#define _byteswap_ushort __builtin_bswap16
#define _byteswap_ulong __builtin_bswap32
#define _byteswap_uint64 __builtin_bswap64

/* `base` is 2 to 36. `to` has room for the text, 65 characters at most. */
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

/* Only base 10 has a sign. */
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

#define _ltoa(value, to, base) _itoa((int)(value), (to), (base)) /* Windows' long has 32 bits */
#define _ultoa(value, to, base) _ui64toa((unsigned)(value), (to), (base))
#define itoa _itoa

static inline errno_t _itoa_s(int value, char *to, size_t size, int base)
{
    char text[66];

    umsshim_require(to && size && base >= 2 && base <= 36, "_itoa_s", EINVAL, EINVAL);
    _itoa(value, text, base);
    umsshim_require(__builtin_strlen(text) < size, "_itoa_s", ERANGE, (*to = '\0', ERANGE));
    __builtin_strcpy(to, text);
    return 0;
}

static inline errno_t _dupenv_s(char **value, size_t *size, const char *name)
{
    const char *found;

    umsshim_require(value && name, "_dupenv_s", EINVAL, EINVAL);
    found = getenv(name);
    *value = found ? __builtin_strdup(found) : NULL;
    if (size)
        *size = *value ? __builtin_strlen(*value) + 1 : 0;
    return found && !*value ? ENOMEM : 0;
}

static inline errno_t getenv_s(size_t *needed, char *to, rsize_t size, const char *name)
{
    const char *found;

    umsshim_require(needed && name && (to || !size), "getenv_s", EINVAL, EINVAL);
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

/* An empty value removes the variable. */
static inline errno_t _putenv_s(const char *name, const char *value)
{
    umsshim_require(name && value, "_putenv_s", EINVAL, EINVAL);
    return (*value ? setenv(name, value, 1) : unsetenv(name)) ? errno : 0;
}

static inline errno_t rand_s(unsigned *number)
{
    umsshim_require(number, "rand_s", EINVAL, EINVAL);
    return getentropy(number, sizeof(*number)) ? errno : 0;
}

static inline void _sleep(unsigned long milliseconds)
{
    struct timespec rest = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};

    while (nanosleep(&rest, &rest) && errno == EINTR)
        ;
}

/* `compare` gets `context` as its first argument. */
static inline void *bsearch_s(const void *key, const void *base, rsize_t count, rsize_t size,
                              int (*compare)(void *, const void *, const void *), void *context)
{
    size_t low = 0;
    size_t high = count;

    umsshim_require(key && (base || !count) && size && compare, "bsearch_s", EINVAL, NULL);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)base + middle * size;
        int order = compare(context, key, at);

        if (order == 0)
            return (void *)(uintptr_t)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

struct umsshim_order {
    int (*compare)(void *, const void *, const void *);
    void *context;
};

static inline int umsshim_compare(const void *left, const void *right, void *order)
{
    struct umsshim_order *by = (struct umsshim_order *)order;

    return by->compare(by->context, left, right);
}

#ifndef __cplusplus
void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *context);
#endif

static inline errno_t qsort_s(void *base, rsize_t count, rsize_t size,
                              int (*compare)(void *, const void *, const void *), void *context)
{
    struct umsshim_order order = {compare, context};

    umsshim_require((base || !count) && size && compare, "qsort_s", EINVAL, EINVAL);
    qsort_r(base, count, size, umsshim_compare, &order);
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
