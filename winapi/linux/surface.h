/* SPDX-License-Identifier: MIT
 *
 * surface.h - functions that most Win32 calls here use: for the last error, handles, deadlines.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SURFACE_H
#define UMSSHIM_WINAPI_LINUX_SURFACE_H

#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/shared_name.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/threads/thread.h"
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include "winapi/include/windows.h"
#pragma GCC visibility pop

static inline BOOL win__fail(DWORD error)
{
    plat_set_last_error(error);
    return FALSE;
}

/* TRUE for error 0; else FALSE with that last error. */
static inline BOOL win__result(int error)
{
    return error ? win__fail((DWORD)error) : TRUE;
}

/* The same at the end of a function that is STOP_LOOKS: a program may call it in a loop, so a
 * thread that has to stop does so here. */
static inline __attribute__((always_inline)) BOOL win__acted(int error)
{
    stop_look();
    return win__result(error);
}

/* The object of a handle or pseudo-handle, with a reference. NULL: ERROR_INVALID_HANDLE. */
struct object *win__object(HANDLE handle);
/* The same for a thread. */
struct plat_thread *win__thread(HANDLE handle);
/* Whether it is a handle to this process. */
bool win__this_process(HANDLE handle);

/* Makes a handle to a new object under a name (NULL or "": none), or to the object that has the
 * name already; then the last error says so. Takes over the caller's reference to `fresh`. `fresh`
 * may be NULL: no memory. */
HANDLE win__create_named(struct object *fresh, enum object_family family, LPCSTR name);
HANDLE win__create_named_w(struct object *fresh, enum object_family family, LPCWSTR name);
HANDLE win__open_named(enum object_family family, LPCSTR name);
HANDLE win__open_named_w(enum object_family family, LPCWSTR name);

/* How the user's other processes know a family's objects by name. */
struct name_sharing {
    enum object_family family;
    /* Fills in the facts that another process needs. */
    void (*describe)(const struct object *object, struct shared_object *shared);
    /* The object has the name from now on. */
    void (*named)(struct object *object, struct shared_name *name);
    /* Makes an object for another process's. Takes over the descriptor, also when it fails. NULL
     * with an error: the descriptor is closed. */
    struct object *(*join)(const struct shared_object *shared, int *error);
};

/* The same four calls for a family that processes share. */
HANDLE win__create_shared(struct object *fresh, const struct name_sharing *sharing, LPCSTR name);
HANDLE win__create_shared_w(struct object *fresh, const struct name_sharing *sharing, LPCWSTR name);
HANDLE win__open_shared(const struct name_sharing *sharing, LPCSTR name);
HANDLE win__open_shared_w(const struct name_sharing *sharing, LPCWSTR name);

static inline uint64_t win__deadline(DWORD milliseconds)
{
    if (milliseconds == INFINITE)
        return PLAT_FOREVER;
    return milliseconds ? plat_now() + (uint64_t)milliseconds * 1000000u : 0;
}

/* The deadline of a due time: negative: from now, in 100 ns; else a date, as in FILETIME. */
uint64_t win__due(int64_t due);

#endif
