/* SPDX-License-Identifier: MIT
 *
 * export_table.c - see export_table.h.
 */
#include "winapi/windows/export_table.h"

#include <string.h>

const IMAGE_NT_HEADERS *image_headers(HMODULE module)
{
    const IMAGE_DOS_HEADER *dos = (const void *)module;
    return (const void *)((const char *)module + dos->e_lfanew);
}

DWORD *export_entry(HMODULE module, const char *name)
{
    char *base = (char *)module;
    const IMAGE_DATA_DIRECTORY *directory =
        &image_headers(module)->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    if (!directory->VirtualAddress)
        return NULL;
    const IMAGE_EXPORT_DIRECTORY *exports = (const void *)(base + directory->VirtualAddress);
    const DWORD *names = (const void *)(base + exports->AddressOfNames);
    const WORD *ordinals = (const void *)(base + exports->AddressOfNameOrdinals);
    DWORD *functions = (void *)(base + exports->AddressOfFunctions);
    DWORD low = 0, high = exports->NumberOfNames; /* sorted by name */
    while (low < high) {
        DWORD middle = (low + high) / 2;
        int order = strcmp(name, base + names[middle]);
        if (order == 0)
            return &functions[ordinals[middle]];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

BOOL write_protected(void *to, const void *from, size_t bytes)
{
    DWORD before, unused;
    if (!VirtualProtect(to, bytes, PAGE_READWRITE, &before))
        return FALSE;
    memcpy(to, from, bytes);
    return VirtualProtect(to, bytes, before, &unused);
}
