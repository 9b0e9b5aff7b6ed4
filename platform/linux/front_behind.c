/* SPDX-License-Identifier: MIT
 *
 * front_behind.c - what stands behind each function of front.def.
 *
 * As a rule libc's own. But another library that puts itself before libc, and that the linker put
 * behind us, is next. Where libc comes before us in the linker's order nothing of interest is behind
 * us, and libc's own is taken.
 *
 * All are looked up when the library is loaded: a signal handler that reads must not find itself in
 * the dynamic linker. A call that comes earlier still, from the constructor of another library, looks
 * up what it needs.
 */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stddef.h>

#include "platform/linux/front.h"

_Atomic(void *) front_behind[FRONTS];

static void *look_up(void *where, const struct front_row *row)
{
    void *found = row->version ? dlvsym(where, row->name, row->version) : NULL;
    return found ? found : dlsym(where, row->name);
}

/* A link map is what dlsym takes for a handle. The function is one that nobody replaces. */
static void *libc_handle(void)
{
    Dl_info info;
    struct link_map *map = NULL;
    dladdr1((void *)gnu_get_libc_version, &info, (void **)&map, RTLD_DL_LINKMAP);
    return map;
}

void *front_in_libc(enum front which)
{
    void *libc = libc_handle();
    return libc ? look_up(libc, &front_rows[which]) : NULL;
}

void *front_find_behind(enum front which)
{
    void *next = look_up(RTLD_NEXT, &front_rows[which]);
    if (!next || next == front_rows[which].ours)
        next = front_in_libc(which);
    atomic_store_explicit(&front_behind[which], next, memory_order_relaxed);
    return next;
}

static __attribute__((constructor)) void find_all(void)
{
    for (unsigned which = 0; which < FRONTS; which++)
        front_next(which);
    dlerror(); /* the failures are ours */
}
