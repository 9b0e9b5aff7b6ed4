/* SPDX-License-Identifier: MIT
 *
 * named_sync.h - events, semaphores and mutexes: those with a name are shared by the processes of
 * one user (proxy.h), where that can be had.
 */
#ifndef UMSSHIM_WINAPI_LINUX_NAMED_SYNC_H
#define UMSSHIM_WINAPI_LINUX_NAMED_SYNC_H

#include "winapi/linux/surface.h"

struct sync_request {
    enum object_family family;
    enum object_type shared; /* its type where it is shared */
    uint32_t value;          /* of an event or semaphore, at the beginning */
    int32_t limit;           /* of a semaphore */
    bool owned;              /* a mutex, by the caller */
    /* One of this process's own; NULL: no memory. */
    struct object *(*make)(const struct sync_request *request);
};

/* As win__create_named. */
HANDLE win__create_sync(const struct sync_request *request, LPCSTR name);
HANDLE win__create_sync_w(const struct sync_request *request, LPCWSTR name);
HANDLE win__open_sync(enum object_family family, LPCSTR name);
HANDLE win__open_sync_w(enum object_family family, LPCWSTR name);

#endif
