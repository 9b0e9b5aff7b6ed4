/* SPDX-License-Identifier: MIT
 *
 * named.c - objects with names, for all the Create and Open functions that take one.
 *
 * Names are UTF-8, so that the A and W forms of a name are the same. A name from an A function is
 * taken as it is.
 *
 * A process has one object for a name in its own table (name.h). If there is none, and processes
 * share the objects of the family, the thread enters the name for all processes of the user
 * (shared_name.h). It makes the object, or a proxy for the object of another process. If two
 * threads do so at once, the second finds the first one's object in the table, and drops its own.
 */
#include <stdlib.h>

#include "winapi/linux/surface.h"
#include "winapi/linux/text.h"

/* Enters the name for the user's processes. *object is the new object, or NULL to find one. It
 * becomes the object that has the name, with a reference. 0; 183: it existed; SHARED_NOT; or an
 * error. */
static int share(const char *text, const struct name_sharing *sharing, struct object **object)
{
    struct object *fresh = *object;
    struct shared_object shared = {.fd = -1};
    struct shared_name *name;
    int failure = 0;
    if (fresh)
        sharing->describe(fresh, &shared);
    int error = shared_name_enter(text, sharing->family, &shared, &name);
    if (!error)
        sharing->named(fresh, name);
    if (error != ERROR_ALREADY_EXISTS)
        return error;
    *object = sharing->join(&shared, &failure);
    if (*object)
        sharing->named(*object, name);
    else
        shared_name_end(name);
    if (fresh)
        object_drop(fresh);
    return failure ? failure : ERROR_ALREADY_EXISTS;
}

/* Takes over the reference to `fresh`. NULL: the name must exist. */
static int handle_to_name(const char *name, const struct name_sharing *sharing,
                          struct object *fresh, void **handle)
{
    const char *text = name_without_prefix(name);
    int error = handle_open_named(name, sharing->family, handle);
    if (error != ERROR_FILE_NOT_FOUND) {
        error = !error && fresh ? ERROR_ALREADY_EXISTS : error;
    } else {
        int shared = *text ? share(text, sharing, &fresh) : SHARED_NOT;
        bool entered = !shared || shared == ERROR_ALREADY_EXISTS;
        if (fresh && (entered || shared == SHARED_NOT))
            error = handle_create_named(name, sharing->family, fresh, handle);
        else if (shared != SHARED_NOT)
            error = shared;
        /* Another thread's object may be in the table by now: share() says whether the name existed
         * before. */
        if (entered && (!error || error == ERROR_ALREADY_EXISTS))
            error = shared;
    }
    if (fresh)
        object_drop(fresh);
    return error;
}

/* Sets the last error, which tells whether the object existed before. */
static HANDLE created(int error, void *handle)
{
    if (error == 0 || error == ERROR_ALREADY_EXISTS) {
        plat_set_last_error((DWORD)error);
        return handle;
    }
    win__fail((DWORD)error);
    return NULL;
}

static HANDLE opened(int error, void *handle)
{
    if (error == 0 || error == ERROR_ALREADY_EXISTS)
        return handle;
    win__fail((DWORD)error);
    return NULL;
}

HANDLE win__create_named(struct object *fresh, enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    if (!fresh)
        return created(ERROR_NOT_ENOUGH_MEMORY, NULL);
    int error =
        name ? handle_create_named(name, family, fresh, &handle) : handle_create(fresh, &handle);
    object_drop(fresh);
    return created(error, handle);
}

HANDLE win__create_shared(struct object *fresh, const struct name_sharing *sharing, LPCSTR name)
{
    void *handle = NULL;
    if (!name || !fresh)
        return win__create_named(fresh, sharing->family, name);
    int error = handle_to_name(name, sharing, fresh, &handle);
    return created(error, handle);
}

/* False: no memory. Then the last error says so, and the reference is given back. */
static bool narrow_or_drop(LPCWSTR name, char **text, struct object *fresh)
{
    if (win__narrow_if_given(name, text))
        return true;
    if (fresh)
        object_drop(fresh);
    return false;
}

HANDLE win__create_named_w(struct object *fresh, enum object_family family, LPCWSTR name)
{
    char *text;
    if (!narrow_or_drop(name, &text, fresh))
        return NULL;
    HANDLE handle = win__create_named(fresh, family, text);
    free(text);
    return handle;
}

HANDLE win__create_shared_w(struct object *fresh, const struct name_sharing *sharing, LPCWSTR name)
{
    char *text;
    if (!narrow_or_drop(name, &text, fresh))
        return NULL;
    HANDLE handle = win__create_shared(fresh, sharing, text);
    free(text);
    return handle;
}

HANDLE win__open_named(enum object_family family, LPCSTR name)
{
    void *handle = NULL;
    int error = name ? handle_open_named(name, family, &handle) : ERROR_INVALID_PARAMETER;
    return opened(error, handle);
}

HANDLE win__open_shared(const struct name_sharing *sharing, LPCSTR name)
{
    void *handle = NULL;
    int error = name ? handle_to_name(name, sharing, NULL, &handle) : ERROR_INVALID_PARAMETER;
    return opened(error, handle);
}

HANDLE win__open_named_w(enum object_family family, LPCWSTR name)
{
    char *text;
    if (!win__narrow_if_given(name, &text))
        return NULL;
    HANDLE handle = win__open_named(family, text);
    free(text);
    return handle;
}

HANDLE win__open_shared_w(const struct name_sharing *sharing, LPCWSTR name)
{
    char *text;
    if (!win__narrow_if_given(name, &text))
        return NULL;
    HANDLE handle = win__open_shared(sharing, text);
    free(text);
    return handle;
}
