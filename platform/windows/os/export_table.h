/* SPDX-License-Identifier: MIT
 *
 * export_table.h - the exports of a loaded module, read where they lie in memory.
 *
 * The code does not ask the loader, whose lock may be held by a thread that waits for the caller.
 * The module must stay loaded meanwhile.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_EXPORT_TABLE_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_EXPORT_TABLE_H

#include <stdint.h>
#include <windows.h>

const IMAGE_NT_HEADERS *image_headers(HMODULE module);

/* The table's entry for this name: the offset of its function. NULL if there is no such name. */
DWORD *export_entry(HMODULE module, const char *name);

/* The function that lies in the module under this name; NULL if there is none, or another module
 * has it. Then *forward, if wanted, is that module's name, a dot, and the function's name there. */
void *export_address(HMODULE module, const char *name, const char **forward);

/* Calls `visit` for each function that lies in the module. */
void export_each(HMODULE module, void (*visit)(const char *name, void *code));

/* How many of the module's names lead to this address. */
int export_count(HMODULE module, const void *address);

/* Writes to memory that is otherwise read-only. */
BOOL write_protected(void *to, const void *from, size_t bytes);

#endif
