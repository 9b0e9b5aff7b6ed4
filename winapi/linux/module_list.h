/* SPDX-License-Identifier: MIT
 *
 * module_list.h - the modules of this process: the program first, then libraries.
 *
 * The handles of the program and of this library are those of GetModuleHandle. Another library's
 * handle is the address where it is loaded, and only the calls of <psapi.h> take it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MODULE_LIST_H
#define UMSSHIM_WINAPI_LINUX_MODULE_LIST_H

#include "winapi/linux/surface.h"

struct module_entry {
    HMODULE handle;
    uintptr_t base;
    size_t size;
    void *entry; /* its entry point; NULL: none */
    char path[4096];
};

struct module_entries {
    struct module_entry *entries; /* malloc's */
    size_t count;
};

/* False: no memory. */
bool win__modules(struct module_entries *modules);
/* The last part of a path. */
const char *win__base_name(const char *path);

#endif
