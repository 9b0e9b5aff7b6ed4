/* SPDX-License-Identifier: MIT
 *
 * front_behind.c - the definition that each function of front.def hands on to.
 *
 * As a rule that is libc's. If another library defines the name, and comes after this one and
 * before libc in the linker's order, it is that library's. If libc comes before this library it is
 * libc's: no call reaches a library after libc.
 *
 * All are looked up when the library is loaded, for a signal handler that calls one must not call
 * the dynamic linker. A call may come earlier still: from the constructor of another library, or
 * from the program's .preinit_array, where the address sanitizer's run time starts. Such a call
 * reads the modules' tables itself (module_symbol.h), for two reasons. It may come from an
 * allocator, which the dynamic linker would call again. And before libc's own constructor nothing
 * may be opened: dlopen would run that constructor without arguments and environment.
 */
#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#pragma GCC visibility pop

#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/module_symbol.h"

#define FRONT(name) {#name, NULL},
#define FRONT_VERSION(name, version) {#name, version},
#define FRONT_OLD(name, version, function) {#name, version},
#define FRONT_SAME(name, version)
const struct front_row front_rows[] = {
#include "platform/linux/os/front.def"
};
#undef FRONT
#undef FRONT_VERSION
#undef FRONT_OLD
#undef FRONT_SAME

_Atomic(void *) front_behind[FRONTS];

/* A handle of libc, found by the address of a function that no library replaces. It is opened by
 * dlmopen: dlopen is one of our own functions. */
static void *libc_handle(void)
{
    static _Atomic(void *) found;
    void *handle = atomic_load_explicit(&found, memory_order_relaxed);
    struct link_map *map = NULL;
    Lmid_t space = LM_ID_BASE;
    Dl_info info;
    if (!handle && dladdr1((void *)gnu_get_libc_version, &info, (void **)&map, RTLD_DL_LINKMAP)) {
        dlinfo(map, RTLD_DI_LMID, &space);
        handle = dlmopen(space, map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        atomic_store_explicit(&found, handle, memory_order_relaxed);
    }
    return handle;
}

/* Uses libc's dlsym, found by dlvsym: dlsym is one of our own functions. */
void *front_look_up(void *where, const struct front_row *row)
{
    static _Atomic(__typeof__(&dlsym)) libc_dlsym;
    __typeof__(&dlsym) look = atomic_load_explicit(&libc_dlsym, memory_order_relaxed);
    if (!look) {
        look = (__typeof__(&dlsym))dlvsym(libc_handle(), "dlsym", "GLIBC_2.2.5");
        atomic_store_explicit(&libc_dlsym, look, memory_order_relaxed);
    }
    void *found = row->version ? dlvsym(where, row->name, row->version) : NULL;
    return found ? found : look(where, row->name);
}

static void *defined_in(const struct link_map *map, const struct front_row *row)
{
    void *found = row->version ? module_symbol(map, row->name, row->version) : NULL;
    return found ? found : module_symbol(map, row->name, NULL);
}

/* libc's module. It stays where it is, so this looks for it once: the constructor asks for each
 * function of front.def. */
static const struct link_map *libc_module(void)
{
    static _Atomic(const struct link_map *) found;
    const struct link_map *map = atomic_load_explicit(&found, memory_order_relaxed);
    if (map)
        return map;
    for (map = _r_debug.r_map; map; map = map->l_next)
        if (module_symbol(map, "gnu_get_libc_version", NULL) == gnu_get_libc_version)
            break;
    atomic_store_explicit(&found, map, memory_order_relaxed);
    return map;
}

static void *by_tables(const struct front_row *row)
{
    const struct link_map *libc = libc_module();
    return libc ? defined_in(libc, row) : NULL;
}

void *front_by_tables(enum front which)
{
    return by_tables(&front_rows[which]);
}

/* Calls dlsym only if the tables do not have it. The engine asks with locks held, and another
 * thread may have the linker's lock while a library's constructor waits for one of those. */
static void *in_libc(const struct front_row *row)
{
    void *found = by_tables(row);
    return found ? found : front_look_up(libc_handle(), row);
}

void *front_in_libc(enum front which)
{
    return in_libc(&front_rows[which]);
}

void *front_named_in_libc(const char *name)
{
    struct front_row row = {.name = name};
    return in_libc(&row);
}

/* The function of the first module that the linker asks after this library. A module that it asks
 * after libc does not count. */
void *front_find_behind(enum front which)
{
    const struct link_map *libc = libc_module(), *map = _r_debug.r_map;
    void *next = NULL;
    bool libc_is_behind = false;
    while (map && map->l_addr != (uintptr_t)library_start)
        map = map->l_next;
    for (const struct link_map *behind = map; behind; behind = behind->l_next)
        libc_is_behind |= behind == libc;
    while (libc_is_behind && map != libc && !next) {
        map = map->l_next;
        next = defined_in(map, &front_rows[which]);
    }
    if (!next)
        next = front_by_tables(which);
    atomic_store_explicit(&front_behind[which], next, memory_order_relaxed);
    return next;
}

void front_settle(enum front which)
{
    void *own = front_in_libc(which), *next = NULL;
    if (front_look_up(RTLD_DEFAULT, &front_rows[which]) != own)
        next = front_look_up(RTLD_NEXT, &front_rows[which]);
    if (!next || library_holds(next))
        next = own;
    atomic_store_explicit(&front_behind[which], next, memory_order_relaxed);
}
