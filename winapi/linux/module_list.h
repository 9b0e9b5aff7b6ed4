/* SPDX-License-Identifier: MIT
 *
 * module_list.h - what is loaded into this process: the program first, then libraries.
 *
 * The program's handle and this library's are those of GetModuleHandle. Any other library's is the
 * address that it is loaded at, and good for the calls of <psapi.h> only.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MODULE_LIST_H
#define UMSSHIM_WINAPI_LINUX_MODULE_LIST_H

#include "winapi/linux/surface.h"

struct module_entry {
    HMODULE handle;
    uintptr_t base;
    size_t size;
    void *entry; /* where it begins to run; NULL: nowhere */
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
