/* SPDX-License-Identifier: MIT
 *
 * string.h - libc's, plus Microsoft's secure and underscored string functions.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/string.h>
#elif defined(_MSC_VER)
#include_next <string.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <string.h>

#if !defined(_WIN32) && !defined(UMSSHIM_STRING_H)
#define UMSSHIM_STRING_H

#include <ctype.h>
#include <strings.h>
#include <wchar.h>

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
size_t strnlen(const char *string, size_t size);
char *strdup(const char *string);
char *strtok_r(char *string, const char *separators, char **rest);
#endif

#define _stricmp strcasecmp
#define _strcmpi strcasecmp
#define _strnicmp strncasecmp
#define _strdup strdup
#define strtok_s strtok_r
#define strnlen_s(string, size) ((string) ? strnlen((string), (size)) : 0)
#define _memccpy memccpy
#define _stricoll strcasecmp
#define _strcoll strcoll

static inline errno_t memcpy_s(void *to, rsize_t size, const void *from, rsize_t count)
{
    umsshim_require(count == 0 || (to && from), "memcpy_s", EINVAL, EINVAL);
    umsshim_require(count <= size, "memcpy_s", ERANGE, (memset(to, 0, size), ERANGE));
    if (count)
        memcpy(to, from, count);
    return 0;
}

static inline errno_t memmove_s(void *to, rsize_t size, const void *from, rsize_t count)
{
    umsshim_require(count == 0 || (to && from), "memmove_s", EINVAL, EINVAL);
    umsshim_require(count <= size, "memmove_s", ERANGE, ERANGE);
    if (count)
        memmove(to, from, count);
    return 0;
}

/* Appends at most `count` characters of `from` to the first `used` characters of `to`. The
 * functions below call it, each with its own name for the handler of invalid parameters. */
static inline errno_t umsshim_append(const char *name, char *to, rsize_t size, size_t used,
                                     const char *from, rsize_t count)
{
    size_t length;

    umsshim_require(to && size, name, EINVAL, EINVAL);
    umsshim_require(from && used < size, name, EINVAL, (*to = '\0', EINVAL));
    length = strnlen(from, count == _TRUNCATE ? size : count);
    if (count == _TRUNCATE && length >= size - used) {
        memcpy(to + used, from, size - used - 1);
        to[size - 1] = '\0';
        return STRUNCATE;
    }
    umsshim_require(length < size - used, name, ERANGE, (*to = '\0', ERANGE));
    memcpy(to + used, from, length);
    to[used + length] = '\0';
    return 0;
}

static inline errno_t strcpy_s(char *to, rsize_t size, const char *from)
{
    return umsshim_append("strcpy_s", to, size, 0, from, size);
}

static inline errno_t strncpy_s(char *to, rsize_t size, const char *from, rsize_t count)
{
    return umsshim_append("strncpy_s", to, size, 0, from, count);
}

static inline errno_t strcat_s(char *to, rsize_t size, const char *from)
{
    return umsshim_append("strcat_s", to, size, to ? strnlen(to, size) : 0, from, size);
}

static inline errno_t strncat_s(char *to, rsize_t size, const char *from, rsize_t count)
{
    return umsshim_append("strncat_s", to, size, to ? strnlen(to, size) : 0, from, count);
}

static inline errno_t strerror_s(char *to, rsize_t size, int error)
{
    /* The function cuts a long text. */
    (void)umsshim_append("strerror_s", to, size, 0, strerror(error), _TRUNCATE);
    return 0;
}

static inline char *_strlwr(char *string)
{
    for (char *at = string; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return string;
}

static inline char *_strupr(char *string)
{
    for (char *at = string; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return string;
}

static inline errno_t _strlwr_s(char *string, size_t size)
{
    umsshim_require(string && strnlen(string, size) < size, "_strlwr_s", EINVAL, EINVAL);
    _strlwr(string);
    return 0;
}

static inline errno_t _strupr_s(char *string, size_t size)
{
    umsshim_require(string && strnlen(string, size) < size, "_strupr_s", EINVAL, EINVAL);
    _strupr(string);
    return 0;
}

static inline char *_strset(char *string, int character)
{
    return (char *)memset(string, character, strlen(string));
}

static inline char *_strnset(char *string, int character, size_t count)
{
    return (char *)memset(string, character, strnlen(string, count));
}

static inline int _memicmp(const void *left, const void *right, size_t count)
{
    const unsigned char *one = (const unsigned char *)left;
    const unsigned char *other = (const unsigned char *)right;

    for (size_t i = 0; i < count; i++)
        if (tolower(one[i]) != tolower(other[i]))
            return tolower(one[i]) - tolower(other[i]);
    return 0;
}

static inline char *_strrev(char *string)
{
    size_t length = strlen(string);

    for (size_t i = 0; i < length / 2; i++) {
        char kept = string[i];

        string[i] = string[length - 1 - i];
        string[length - 1 - i] = kept;
    }
    return string;
}

#ifdef __cplusplus
/* C++ finds the size of an array itself. */
extern "C++" {
template <size_t size> static inline errno_t strcpy_s(char (&to)[size], const char *from)
{
    return strcpy_s(to, size, from);
}

template <size_t size> static inline errno_t strcat_s(char (&to)[size], const char *from)
{
    return strcat_s(to, size, from);
}

template <size_t size>
static inline errno_t strncpy_s(char (&to)[size], const char *from, rsize_t count)
{
    return strncpy_s(to, size, from, count);
}

template <size_t size>
static inline errno_t strncat_s(char (&to)[size], const char *from, rsize_t count)
{
    return strncat_s(to, size, from, count);
}

template <size_t size> static inline errno_t strerror_s(char (&to)[size], int error)
{
    return strerror_s(to, size, error);
}
}
#endif

#endif
#endif /* _MSC_VER */
