/* SPDX-License-Identifier: MIT
 *
 * path_steps.c - see path_steps.h.
 */
#include "winapi/linux/path_steps.h"

#include <string.h>

bool win__is_slash(char c)
{
    return c == '/' || c == '\\';
}

const char *win__last_step(const char *path)
{
    const char *last = path;
    for (; *path; path++)
        if (win__is_slash(*path))
            last = path + 1;
    return last;
}

void win__forward(char *path)
{
    for (; *path; path++)
        if (*path == '\\')
            *path = '/';
}

void win__take_dots(char *path)
{
    char *to = path;
    const char *at = path;
    while (*at) {
        while (*at == '/')
            at++;
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (length && !(length == 1 && *at == '.')) {
            *to++ = '/';
            memmove(to, at, length);
            to += length;
        }
        at += length;
        if (at[0] == '/' && !at[strspn(at, "/")])
            break; /* slashes at the end */
    }
    if (to == path || *at == '/')
        *to++ = '/';
    *to = 0;
}
