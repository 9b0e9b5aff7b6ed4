/* SPDX-License-Identifier: MIT
 *
 * named_sync.c - see named_sync.h.
 *
 * The word of a new mutex has the process that owns it before another process can find the mutex.
 * The owning thread is set when it has its handle: two threads may make the mutex at once, and only
 * one of their proxies stays.
 */
#include "winapi/linux/named_sync.h"

#include <stdlib.h>

#include "platform/linux/async/shared_bell.h"
#include "platform/linux/dispatch/peers.h"
#include "platform/linux/dispatch/proxy.h"
#include "winapi/linux/text.h"

static struct object *join(const struct shared_object *shared, int *error)
{
    struct object *object = proxy_join(shared, error);
    if (object)
        *error = 0;
    return object;
}

static const struct name_sharing *sharing_of(enum object_family family)
{
    static const struct name_sharing events = {FAMILY_EVENT, proxy_describe, proxy_named, join},
                                     semaphores = {FAMILY_SEMAPHORE, proxy_describe, proxy_named,
                                                   join},
                                     mutexes = {FAMILY_MUTEX, proxy_describe, proxy_named, join};
    return family == FAMILY_EVENT ? &events : family == FAMILY_SEMAPHORE ? &semaphores : &mutexes;
}

static void adopt(HANDLE handle)
{
    struct object *object = handle_object(handle);
    if (!object)
        return;
    if (object->type == OBJECT_SHARED_MUTEX)
        proxy_adopt(object);
    object_drop(object);
}

/* Whether an Open call has decided: the object is found, or cannot be made. */
static bool is_found(HANDLE found)
{
    if (found)
        plat_set_last_error(ERROR_ALREADY_EXISTS);
    return found || plat_last_error() != ERROR_FILE_NOT_FOUND;
}

/* A new object cannot be shared here. Finds another process's object of that name, or makes one of
 * this process's own. */
static HANDLE find_or_make_own(const struct sync_request *request, bool find, LPCSTR name)
{
    HANDLE found = find ? win__open_shared(sharing_of(request->family), name) : NULL;
    if (find && is_found(found))
        return found;
    return win__create_named(request->make(request), request->family, name);
}

HANDLE win__create_sync(const struct sync_request *request, LPCSTR name)
{
    bool named = name && *name_without_prefix(name);
    int error = named ? shared_bell_start() : SHARED_NOT;
    if (!error && request->owned && !thread_current())
        error = ERROR_NOT_ENOUGH_MEMORY; /* the thread could not release the mutex */
    bool joined = !error;
    struct object *proxy = NULL;
    if (joined) {
        HANDLE own = win__open_named(request->family, name); /* this needs no file */
        if (is_found(own))
            return own;
        proxy = proxy_create(request->shared, request->owned ? peer_self() : request->value,
                             request->limit, &error);
    }
    if (error == SHARED_NOT)
        return find_or_make_own(request, joined, name);
    if (error) {
        win__fail((DWORD)error);
        return NULL;
    }
    HANDLE handle = win__create_shared(proxy, sharing_of(request->family), name);
    if (handle && request->owned && plat_last_error() == ERROR_SUCCESS)
        adopt(handle);
    return handle;
}

HANDLE win__create_sync_w(const struct sync_request *request, LPCWSTR name)
{
    char *text;
    if (!win__narrow_if_given(name, &text))
        return NULL;
    HANDLE handle = win__create_sync(request, text);
    free(text);
    return handle;
}

HANDLE win__open_sync(enum object_family family, LPCSTR name)
{
    int error = name && *name_without_prefix(name) ? shared_bell_start() : SHARED_NOT;
    if (error == SHARED_NOT)
        return win__open_named(family, name);
    if (!error)
        return win__open_shared(sharing_of(family), name);
    win__fail((DWORD)error);
    return NULL;
}

HANDLE win__open_sync_w(enum object_family family, LPCWSTR name)
{
    char *text;
    if (!win__narrow_if_given(name, &text))
        return NULL;
    HANDLE handle = win__open_sync(family, text);
    free(text);
    return handle;
}
