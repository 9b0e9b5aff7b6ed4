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

struct exports {
    char *base;
    const DWORD *names;
    const WORD *ordinals;
    DWORD *functions;
    DWORD count; /* of names; 0: there are none */
};

static struct exports exports_of(HMODULE module)
{
    char *base = (char *)module;
    DWORD at = image_headers(module)
                   ->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT]
                   .VirtualAddress;
    const IMAGE_EXPORT_DIRECTORY *directory = (const void *)(base + at);
    struct exports none = {.base = base};
    return at ? (struct exports){base, (const void *)(base + directory->AddressOfNames),
                                 (const void *)(base + directory->AddressOfNameOrdinals),
                                 (void *)(base + directory->AddressOfFunctions),
                                 directory->NumberOfNames}
              : none;
}

DWORD *export_entry(HMODULE module, const char *name)
{
    struct exports exports = exports_of(module);
    DWORD low = 0, high = exports.count; /* sorted by name */
    while (low < high) {
        DWORD middle = (low + high) / 2;
        int order = strcmp(name, exports.base + exports.names[middle]);
        if (order == 0)
            return &exports.functions[exports.ordinals[middle]];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

int export_count(HMODULE module, const void *address)
{
    struct exports exports = exports_of(module);
    uintptr_t offset = (uintptr_t)address - (uintptr_t)module;
    int count = 0;
    for (DWORD i = 0; i < exports.count; i++)
        count += exports.functions[exports.ordinals[i]] == offset;
    return count;
}

BOOL write_protected(void *to, const void *from, size_t bytes)
{
    DWORD before, unused;
    if (!VirtualProtect(to, bytes, PAGE_READWRITE, &before))
        return FALSE;
    memcpy(to, from, bytes);
    return VirtualProtect(to, bytes, before, &unused);
}
