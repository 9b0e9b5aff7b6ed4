/* SPDX-License-Identifier: MIT
 *
 * surface.h - what the Win32 calls here share: last error, handles, deadlines.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SURFACE_H
#define UMSSHIM_WINAPI_LINUX_SURFACE_H

#include "platform/linux/object.h"
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include "winapi/include/windows.h"
#pragma GCC visibility pop

static inline BOOL win__fail(DWORD error)
{
    plat_set_last_error(error);
    return FALSE;
}

/* The object behind a handle with a reference, pseudo-handles included; NULL sets ERROR_INVALID_HANDLE. */
struct object *win__object(HANDLE handle);
/* The same for a thread. */
struct plat_thread *win__thread(HANDLE handle);

static inline uint64_t win__deadline(DWORD milliseconds)
{
    if (milliseconds == INFINITE)
        return PLAT_FOREVER;
    return milliseconds ? plat_now() + (uint64_t)milliseconds * 1000000u : 0;
}

#endif
