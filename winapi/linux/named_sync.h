/* SPDX-License-Identifier: MIT
 *
 * named_sync.h - events, semaphores and mutexes. The processes of a user share those with a name
 * (proxy.h), where the system allows it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_NAMED_SYNC_H
#define UMSSHIM_WINAPI_LINUX_NAMED_SYNC_H

#include "winapi/linux/surface.h"

struct sync_request {
    enum object_family family;
    enum object_type shared; /* the type of a shared object */
    uint32_t value;          /* the value of a new event or semaphore */
    int32_t limit;           /* a semaphore's */
    bool owned;              /* the caller owns the new mutex */
    /* Makes an object of this process's own. NULL: no memory. */
    struct object *(*make)(const struct sync_request *request);
};

/* As win__create_named and win__open_named. */
HANDLE win__create_sync(const struct sync_request *request, LPCSTR name);
HANDLE win__create_sync_w(const struct sync_request *request, LPCWSTR name);
HANDLE win__open_sync(enum object_family family, LPCSTR name);
HANDLE win__open_sync_w(enum object_family family, LPCWSTR name);

#endif
