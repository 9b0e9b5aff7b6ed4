/* SPDX-License-Identifier: MIT
 *
 * named.c - objects with names, for all the Create and Open functions that take one.
 *
 * Names are kept as UTF-8, so that the A and W forms of a name are the same name. A name that comes
 * by an A function is taken as it is.
 */
#include <stdlib.h>

#include "winapi/linux/surface.h"
#include "winapi/linux/text.h"

HANDLE win__create_named(struct object *fresh, enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    if (!fresh) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    int error =
        name ? handle_create_named(name, family, fresh, &handle) : handle_create(fresh, &handle);
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
    if (!name)
        return win__create_named(fresh, family, NULL);
    char *text = win__narrow(name, win__wide_length(name), NULL);
    if (!text && fresh) {
        object_drop(fresh);
        fresh = NULL;
    }
    HANDLE handle = win__create_named(fresh, family, text);
    free(text);
    return handle;
}

HANDLE win__open_named(enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    int error = name ? handle_open_named(name, family, &handle) : ERROR_INVALID_PARAMETER;
    if (error)
        win__fail((DWORD)error);
    return handle;
}

HANDLE win__open_named_w(enum object_family family, LPCWSTR name)
{
    char *text = name ? win__narrow(name, win__wide_length(name), NULL) : NULL;
    if (name && !text) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    HANDLE handle = win__open_named(family, text);
    free(text);
    return handle;
}
