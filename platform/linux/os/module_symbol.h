/* SPDX-License-Identifier: MIT
 *
 * module_symbol.h - a function by its name in one module, read from the module's own tables.
 *
 * Unlike dlsym it allocates nothing, takes no lock and leaves dlerror's text alone. So it may be
 * called while an allocator or the dynamic linker is at work.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_MODULE_SYMBOL_H
#define UMSSHIM_PLATFORM_LINUX_OS_MODULE_SYMBOL_H

#include <link.h>
#include <stdint.h>

/* The hash by which a module's table is ordered. */
uint32_t gnu_hash(const char *name);

/* The module's definition in this version, or, if `version` is NULL, in the one that a new program
 * gets. In a module without versions any version fits. NULL: there is none, or the tables are not
 * where they are expected. */
void *module_symbol(const struct link_map *map, const char *name, const char *version);

#endif
