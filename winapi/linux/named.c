/* SPDX-License-Identifier: MIT
 *
 * named.c - objects with names, for all the Create and Open functions that take one.
 *
 * Names are kept as UTF-8, so that the A and W forms of a name are the same name. What arrives by an
 * A function is taken as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/surface.h"

enum { LONGEST_UTF8 = 4 * 261 };

/* ERROR_FILENAME_EXCED_RANGE if it does not fit. */
static int narrow(LPCWSTR wide, char *name)
{
    size_t n = 0;
    while (*wide) {
        uint32_t c = *wide++;
        if (c >= 0xd800 && c < 0xdc00 && *wide >= 0xdc00 && *wide < 0xe000)
            c = 0x10000 + ((c - 0xd800) << 10) + (*wide++ - 0xdc00u);
        if (n + 5 > LONGEST_UTF8)
            return ERROR_FILENAME_EXCED_RANGE;
        if (c < 0x80) {
            name[n++] = (char)c;
            continue;
        }
        static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        name[n++] = (char)(lead[more] | c >> 6 * more);
        while (more--)
            name[n++] = (char)(0x80 | (c >> 6 * more & 0x3f));
    }
    name[n] = 0;
    return 0;
}

HANDLE win__create_named(struct object *fresh, enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    if (!fresh) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    int error = name ? name_create(name, family, fresh, &handle) : handle_create(fresh, &handle);
    object_drop(fresh);
    if (error == 0 || error == ERROR_ALREADY_EXISTS) {
        plat_set_last_error((DWORD)error);
        return handle;
    }
    win__fail((DWORD)error);
    return NULL;
}

HANDLE win__create_named_w(struct object *fresh, enum object_family family, LPCWSTR name)
{
    char text[LONGEST_UTF8];
    if (!name)
        return win__create_named(fresh, family, NULL);
    int error = narrow(name, text);
    if (!error)
        return win__create_named(fresh, family, text);
    if (fresh)
        object_drop(fresh);
    win__fail((DWORD)error);
    return NULL;
}

HANDLE win__open_named(enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    int error = name ? name_open(name, family, &handle) : ERROR_INVALID_PARAMETER;
    if (error)
        win__fail((DWORD)error);
    return handle;
}

HANDLE win__open_named_w(enum object_family family, LPCWSTR name)
{
    char text[LONGEST_UTF8];
    int error = name ? narrow(name, text) : ERROR_INVALID_PARAMETER;
    if (!error)
        return win__open_named(family, text);
    win__fail((DWORD)error);
    return NULL;
}
