/* SPDX-License-Identifier: MIT
 *
 * surface.h - what the Win32 calls here share: last error, handles, deadlines.
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

/* TRUE for error 0. */
static inline BOOL win__result(int error)
{
    return error ? win__fail((DWORD)error) : TRUE;
}

/* The same at the end of a function that a program's loop may call, which is STOP_LOOKS: the thread
 * may stop here. */
static inline __attribute__((always_inline)) BOOL win__acted(int error)
{
    stop_look();
    return win__result(error);
}

/* The object behind a handle with a reference, pseudo-handles included; NULL sets
 * ERROR_INVALID_HANDLE. */
struct object *win__object(HANDLE handle);
/* The same for a thread. */
struct plat_thread *win__thread(HANDLE handle);
/* Whether the handle is one to this process: there is no other. */
bool win__this_process(HANDLE handle);

/* A handle to a fresh object under a name (NULL or "": none), or to the one that has it already;
 * then the last error says so. Takes over the caller's reference to `fresh`, which may be NULL: no
 * memory. */
HANDLE win__create_named(struct object *fresh, enum object_family family, LPCSTR name);
HANDLE win__create_named_w(struct object *fresh, enum object_family family, LPCWSTR name);
HANDLE win__open_named(enum object_family family, LPCSTR name);
HANDLE win__open_named_w(enum object_family family, LPCWSTR name);

/* How objects of a family are known to the user's other processes by their names. */
struct name_sharing {
    enum object_family family;
    /* What of it another process needs. */
    void (*describe)(const struct object *object, struct shared_object *shared);
    /* It has the name from now on. */
    void (*named)(struct object *object, struct shared_name *name);
    /* An object for what another process has made, which takes over the descriptor also where an
     * error is returned. NULL with an error: the descriptor is closed. */
    struct object *(*join)(const struct shared_object *shared, int *error);
};

/* The same as above for objects of such a family. */
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

/* When a due time comes. Negative: from now, in 100 ns. Else a date, as a FILETIME. */
uint64_t win__due(int64_t due);

#endif
