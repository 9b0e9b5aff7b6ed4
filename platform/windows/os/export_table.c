/* SPDX-License-Identifier: MIT
 *
 * export_table.c - see export_table.h.
 */
#include "platform/windows/os/export_table.h"

#include <stdbool.h>
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
    DWORD count;     /* of names; 0: the module exports none */
    DWORD at, bytes; /* of the directory: an offset into it is that of a forwarder's text */
};

static struct exports exports_of(HMODULE module)
{
    char *base = (char *)module;
    IMAGE_DATA_DIRECTORY data =
        image_headers(module)->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    const IMAGE_EXPORT_DIRECTORY *directory = (const void *)(base + data.VirtualAddress);
    if (!data.VirtualAddress)
        return (struct exports){.base = base};
    return (struct exports){base,
                            (const void *)(base + directory->AddressOfNames),
                            (const void *)(base + directory->AddressOfNameOrdinals),
                            (void *)(base + directory->AddressOfFunctions),
                            directory->NumberOfNames,
                            data.VirtualAddress,
                            data.Size};
}

static bool is_forwarder(const struct exports *exports, DWORD offset)
{
    return offset - exports->at < exports->bytes;
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

void *export_address(HMODULE module, const char *name, const char **forward)
{
    struct exports exports = exports_of(module);
    const DWORD *entry = export_entry(module, name);
    if (!entry)
        return NULL;
    if (!is_forwarder(&exports, *entry))
        return exports.base + *entry;
    if (forward)
        *forward = exports.base + *entry;
    return NULL;
}

void export_each(HMODULE module, void (*visit)(const char *name, void *code))
{
    struct exports exports = exports_of(module);
    for (DWORD i = 0; i < exports.count; i++) {
        DWORD offset = exports.functions[exports.ordinals[i]];
        if (!is_forwarder(&exports, offset))
            visit(exports.base + exports.names[i], exports.base + offset);
    }
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
