/* SPDX-License-Identifier: MIT
 *
 * export_table.h - the entries of a loaded module's export table, by name.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_EXPORT_TABLE_H
#define UMSSHIM_WINAPI_WINDOWS_EXPORT_TABLE_H

#include <stdint.h>
#include <windows.h>

const IMAGE_NT_HEADERS *image_headers(HMODULE module);

/* Where the table keeps the offset of this name's function; NULL if it has no such name. */
DWORD *export_entry(HMODULE module, const char *name);

/* How many of its names lead to this address. */
int export_count(HMODULE module, const void *address);

/* Writes to memory that is read-only otherwise. */
BOOL write_protected(void *to, const void *from, size_t bytes);

#endif
