/* SPDX-License-Identifier: MIT
 *
 * direct.h - folders by Microsoft's names. Paths are the system's.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/direct.h>
#elif defined(_MSC_VER)
#include_next <direct.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <direct.h>
#elif !defined(UMSSHIM_DIRECT_H)
#define UMSSHIM_DIRECT_H

#include <sys/stat.h>
#include <unistd.h>

#include "umsshim_msvc.h"

#define _chdir chdir
#define _rmdir rmdir

/* `to` is NULL: the path is in malloc's memory, of `size` bytes at least. */
static inline char *_getcwd(char *to, int size)
{
    char *path = to ? getcwd(to, (size_t)size) : getcwd(NULL, 0);
    char *larger = !to && path && size > 0 && __builtin_strlen(path) < (size_t)size
                       ? (char *)__builtin_realloc(path, (size_t)size)
                       : NULL;

    return larger ? larger : path;
}

static inline int _mkdir(const char *path)
{
    return mkdir(path, 0777);
}

#if __SIZEOF_WCHAR_T__ == 2 && !defined(UMSSHIM_WIDE_CRT_H)
#include "umsshim_wide_crt.h"
#endif

#endif
#endif /* _MSC_VER */
