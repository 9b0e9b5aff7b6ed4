/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_crt.h - files, folders, the environment and numbers by Microsoft's names for wide
 * text, where a wchar_t has 16 bits. The system's names are UTF-8, of 4,095 bytes at most.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WIDE_CRT_H
#define UMSSHIM_WIDE_CRT_H

#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "direct.h"
#include "io.h"
#include "umsshim_crt.h"

/* Makes a call with one path. `failure` is the result for a path that is too long. */
#define UMSSHIM_WITH_PATH(wide, call, failure)                                                     \
    char path[4096];                                                                               \
    umsshim_require((wide), __func__, EINVAL, failure);                                            \
    if (!umsshim_utf8((wide), path, sizeof(path)))                                                 \
        return (errno = ENAMETOOLONG, failure);                                                    \
    return call

static inline int _waccess(const wchar_t *name, int mode)
{
    UMSSHIM_WITH_PATH(name, access(path, mode), -1);
}

static inline int _wremove(const wchar_t *name)
{
    UMSSHIM_WITH_PATH(name, remove(path), -1);
}

static inline int _wunlink(const wchar_t *name)
{
    UMSSHIM_WITH_PATH(name, unlink(path), -1);
}

static inline int _wmkdir(const wchar_t *name)
{
    UMSSHIM_WITH_PATH(name, _mkdir(path), -1);
}

static inline int _wrmdir(const wchar_t *name)
{
    UMSSHIM_WITH_PATH(name, rmdir(path), -1);
}

static inline int _wchdir(const wchar_t *name)
{
    UMSSHIM_WITH_PATH(name, chdir(path), -1);
}

static inline int _wchmod(const wchar_t *name, int mode)
{
    UMSSHIM_WITH_PATH(name, chmod(path, (mode_t)mode), -1);
}

static inline int _wstat(const wchar_t *name, struct stat *status)
{
    UMSSHIM_WITH_PATH(name, stat(path, status), -1);
}
#define _wstat64 _wstat
#define _wstati64 _wstat
#define _wstat64i32 _wstat

static inline int _wopen(const wchar_t *name, int flags, ...)
{
    int permissions = 0;

    if (flags & _O_CREAT) {
        va_list arguments;

        va_start(arguments, flags);
        permissions = va_arg(arguments, int);
        va_end(arguments);
    }
    UMSSHIM_WITH_PATH(name, _open(path, flags, permissions), -1);
}

static inline int _wcreat(const wchar_t *name, int permissions)
{
    UMSSHIM_WITH_PATH(name, _creat(path, permissions), -1);
}

static inline int _wrename(const wchar_t *from, const wchar_t *to)
{
    char target[4096];

    umsshim_require(to, "_wrename", EINVAL, -1);
    if (!umsshim_utf8(to, target, sizeof(target)))
        return (errno = ENAMETOOLONG, -1);
    UMSSHIM_WITH_PATH(from, rename(path, target), -1);
}

static inline int _wsystem(const wchar_t *command)
{
    if (!command)
        return system(NULL);
    UMSSHIM_WITH_PATH(command, system(path), -1);
}

/* `to` is NULL: the result is in malloc's memory. */
static inline wchar_t *umsshim_give_wide(const char *text, wchar_t *to, size_t size)
{
    size_t length = mbstowcs(NULL, text, 0);

    if (length == (size_t)-1)
        return NULL;
    if (!to)
        to = (wchar_t *)malloc((size > length ? size : (size = length + 1)) * sizeof(*to));
    if (to && length >= size)
        return (errno = ERANGE, (wchar_t *)NULL);
    if (to)
        mbstowcs(to, text, size);
    return to;
}

static inline wchar_t *_wgetcwd(wchar_t *to, int size)
{
    char path[4096];

    return getcwd(path, sizeof(path)) ? umsshim_give_wide(path, to, (size_t)size) : NULL;
}

static inline wchar_t *_wfullpath(wchar_t *to, const wchar_t *name, size_t size)
{
    char path[4096];
    char *full;
    wchar_t *result;

    if (!name || !umsshim_utf8(name, path, sizeof(path)))
        return NULL;
    full = _fullpath(NULL, path, 0);
    result = full ? umsshim_give_wide(full, to, size) : NULL;
    free(full);
    return result;
}

/* The result is good until the thread calls again. */
static inline wchar_t *_wgetenv(const wchar_t *name)
{
    static __thread wchar_t *kept;
    char path[4096];
    const char *value;

    umsshim_require(name, "_wgetenv", EINVAL, NULL);
    value = umsshim_utf8(name, path, sizeof(path)) ? getenv(path) : NULL;
    free(kept);
    kept = value ? umsshim_give_wide(value, NULL, 0) : NULL;
    return kept;
}

static inline errno_t _wputenv_s(const wchar_t *name, const wchar_t *value)
{
    char text[4096];
    char key[4096];

    umsshim_require(name && value, "_wputenv_s", EINVAL, EINVAL);
    if (!umsshim_utf8(name, key, sizeof(key)) || !umsshim_utf8(value, text, sizeof(text)))
        return (errno = ENAMETOOLONG);
    return (*value ? setenv(key, text, 1) : unsetenv(key)) ? errno : 0;
}

static inline wchar_t *_wsetlocale(int category, const wchar_t *name)
{
    static __thread wchar_t kept[256];
    char text[256];
    const char *result;

    if (name && !umsshim_utf8(name, text, sizeof(text)))
        return NULL;
    result = setlocale(category, name ? text : NULL);
    return result ? umsshim_give_wide(result, kept, sizeof(kept) / sizeof(*kept)) : NULL;
}

static inline int _wtoi(const wchar_t *string)
{
    return (int)wcstol(string, NULL, 10);
}

static inline long long _wtoi64(const wchar_t *string)
{
    return wcstoll(string, NULL, 10);
}

static inline double _wtof(const wchar_t *string)
{
    return wcstod(string, NULL);
}
#define _wtol _wtoi
#define _wtoll _wtoi64
#define _wcstoi64 wcstoll
#define _wcstoui64 wcstoull

static inline wchar_t *umsshim_digits(const char *text, wchar_t *to)
{
    size_t at = 0;

    do
        to[at] = (wchar_t)text[at];
    while (text[at++]);
    return to;
}

static inline wchar_t *_itow(int value, wchar_t *to, int base)
{
    char text[66];

    return umsshim_digits(_itoa(value, text, base), to);
}

static inline wchar_t *_ultow(unsigned value, wchar_t *to, int base)
{
    char text[66];

    return umsshim_digits(_ui64toa(value, text, base), to);
}

static inline wchar_t *_i64tow(long long value, wchar_t *to, int base)
{
    char text[66];

    return umsshim_digits(_i64toa(value, text, base), to);
}

static inline wchar_t *_ui64tow(unsigned long long value, wchar_t *to, int base)
{
    char text[66];

    return umsshim_digits(_ui64toa(value, text, base), to);
}

static inline errno_t _itow_s(int value, wchar_t *to, size_t size, int base)
{
    char text[66];

    umsshim_require(to && size && base >= 2 && base <= 36, "_itow_s", EINVAL, EINVAL);
    _itoa(value, text, base);
    umsshim_require(__builtin_strlen(text) < size, "_itow_s", ERANGE, (*to = 0, ERANGE));
    umsshim_digits(text, to);
    return 0;
}
#define _ltow(value, to, base) _itow((int)(value), (to), (base)) /* Windows' long has 32 bits */
#define _ltow_s(value, to, size, base) _itow_s((int)(value), (to), (size), (base))

#endif
