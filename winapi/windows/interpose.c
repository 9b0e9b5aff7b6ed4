/* SPDX-License-Identifier: MIT
 *
 * interpose.c - see interpose.h.
 *
 * An export table has 32-bit offsets from its module's start, so it can only lead to addresses
 * above the module. So a page there has, for each name, a jump to the library's function. If no
 * such page can be had (by a policy against new code), the library only changes the import tables
 * of modules that are loaded already.
 */
#include "winapi/windows/interpose.h"

#include <psapi.h>
#include <stdint.h>
#include <string.h>

#include "platform/platform.h"
#include "platform/windows/os/export_table.h"
#include "platform/windows/os/near_pages.h"

struct jump {
    uint8_t code[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t unused[2];
};
_Static_assert(sizeof(struct jump) == 16, "one beside the other");

enum { MODULES = 512, MOST_NAMES = 64 };
enum { SOURCES = INTERPOSED_SOURCES };
static const wchar_t *const source_names[SOURCES] = {L"kernel32.dll", L"kernelbase.dll",
                                                     L"ntdll.dll"};
static DWORD old_offsets[SOURCES][MOST_NAMES]; /* 0: not changed */

static bool belongs(const struct interposed *name, int source)
{
    return name->in_ntdll == (source == FROM_NTDLL);
}

/* ---- Export tables --------------------------------------------------------------------------- */

static struct jump *make_jumps(HMODULE module, const struct interposed *names, size_t count)
{
    uintptr_t base = (uintptr_t)module;
    struct jump *jumps = near_pages(base, base + image_headers(module)->OptionalHeader.SizeOfImage,
                                    true, count * sizeof *jumps);
    if (!jumps)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        static const uint8_t code[] = {0xFF, 0x25, 0, 0, 0, 0};
        memcpy(jumps[i].code, code, sizeof code);
        memcpy(jumps[i].target, &names[i].ours, sizeof jumps[i].target);
    }
    return near_pages_seal(jumps, count * sizeof *jumps) ? jumps : NULL;
}

static int change_exports(int source, struct interposed *names, size_t count)
{
    HMODULE module = GetModuleHandleW(source_names[source]);
    struct jump *jumps = NULL;
    int missed = 0;
    for (size_t i = 0; i < count && module; i++) {
        DWORD *entry = belongs(&names[i], source) ? export_entry(module, names[i].name) : NULL;
        if (!entry)
            continue;
        if (!jumps)
            jumps = make_jumps(module, names, count);
        if (!jumps) /* the other names get no page, either */
            return (int)count;
        DWORD offset = (DWORD)((uintptr_t)&jumps[i] - (uintptr_t)module), old = *entry;
        if (write_protected(entry, &offset, sizeof offset))
            old_offsets[source][i] = old;
        else
            missed++;
    }
    return missed;
}

static void restore_exports(int source, struct interposed *names, size_t count)
{
    HMODULE module = GetModuleHandleW(source_names[source]);
    for (size_t i = 0; i < count && module; i++) {
        DWORD *entry = belongs(&names[i], source) ? export_entry(module, names[i].name) : NULL;
        if (entry && old_offsets[source][i])
            write_protected(entry, &old_offsets[source][i], sizeof *entry);
        old_offsets[source][i] = 0;
    }
}

/* ---- Import tables --------------------------------------------------------------------------- */

/* Whether imports from this DLL may be kernel32's or kernelbase's names. */
static bool asks_kernel32(const char *dll)
{
    static const char api_sets[] = "api-ms-win-core-";
    return _stricmp(dll, "kernel32.dll") == 0 || _stricmp(dll, "kernel32") == 0 ||
           _stricmp(dll, "kernelbase.dll") == 0 || _stricmp(dll, "kernelbase") == 0 ||
           _strnicmp(dll, api_sets, sizeof api_sets - 1) == 0;
}

static bool asks_ntdll(const char *dll)
{
    return _stricmp(dll, "ntdll.dll") == 0 || _stricmp(dll, "ntdll") == 0;
}

static void *ours_by_name(const char *name, bool in_ntdll, const struct interposed *names,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].in_ntdll == in_ntdll && strcmp(name, names[i].name) == 0)
            return names[i].ours;
    return NULL;
}

static void *ours_by_address(void *now, const struct interposed *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int source = 0; source < SOURCES; source++)
            if (names[i].alone[source] && now == names[i].theirs[source])
                return names[i].ours;
    return NULL;
}

static void *theirs_instead(void *now, const struct interposed *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int source = 0; source < SOURCES && now == names[i].ours; source++)
            if (names[i].theirs[source])
                return names[i].theirs[source];
    return NULL;
}

/* A module whose imports the library goes through. Its directories may be damaged: the loader does
 * not look at all of them, and a delayed import may lead anywhere. So the library reads only where
 * memory can be read, writes only within the module, and gives up a directory that does not end. */
struct change {
    char *base; /* the module's start */
    size_t bytes;
    const struct interposed *names;
    size_t count;
    bool undo;
    uintptr_t from, to; /* memory that has been found readable */
    uint32_t steps;     /* the number of reads that are left before the library gives up */
};
enum { MOST_STEPS = 1 << 20, MOST_LETTERS = 64 };

static bool is_readable(const MEMORY_BASIC_INFORMATION *region)
{
    enum {
        READABLE = PAGE_READONLY | PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READ |
                   PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY
    };
    return region->State == MEM_COMMIT && region->Protect & READABLE &&
           !(region->Protect & PAGE_GUARD);
}

static bool can_read(struct change *change, const void *at, size_t bytes)
{
    uintptr_t begin = (uintptr_t)at, end = begin + bytes;
    MEMORY_BASIC_INFORMATION region;
    if (begin >= change->from && end <= change->to)
        return true;
    change->from = change->to = begin;
    while (change->to < end && VirtualQuery((void *)change->to, &region, sizeof region) &&
           is_readable(&region))
        change->to = (uintptr_t)region.BaseAddress + region.RegionSize;
    return end >= begin && end <= change->to;
}

/* The address of so many bytes at an offset. NULL: they cannot be read. */
static const void *at_offset(struct change *change, uint64_t offset, size_t bytes)
{
    const char *at = change->base + (uint32_t)offset;
    if (!offset || offset > UINT32_MAX || !change->steps)
        return NULL;
    change->steps--;
    return can_read(change, at, bytes) ? at : NULL;
}

/* Reads a name, up to the length that a wanted name can have. */
static bool name_at(struct change *change, uint64_t offset, char name[MOST_LETTERS])
{
    const char *at = at_offset(change, offset, 1);
    for (int i = 0; at && i < MOST_LETTERS - 1 && can_read(change, at + i, 1); i++) {
        name[i] = at[i];
        name[i + 1] = 0;
        if (!at[i])
            return true;
    }
    return at && can_read(change, at, MOST_LETTERS);
}

/* The entry of a slot in the table of names. 0: there is no entry, or it is a number. */
static uint64_t lookup_of(struct change *change, DWORD names_at, size_t slot)
{
    const ULONGLONG *lookup =
        at_offset(change, names_at + (uint64_t)slot * sizeof *lookup, sizeof *lookup);
    return lookup ? *lookup : 0;
}

static void *ours_for(struct change *change, const char *dll, uint64_t lookup, void *now)
{
    char name[MOST_LETTERS];
    bool in_ntdll = asks_ntdll(dll);
    if (change->undo)
        return theirs_instead(now, change->names, change->count);
    if (!lookup || !(in_ntdll || asks_kernel32(dll)) || IMAGE_SNAP_BY_ORDINAL64(lookup))
        return ours_by_address(now, change->names, change->count);
    return name_at(change, lookup + offsetof(IMAGE_IMPORT_BY_NAME, Name), name)
               ? ours_by_name(name, in_ntdll, change->names, change->count)
               : NULL;
}

/* Changes one DLL's imports. A delayed import that is not bound yet leads into the module itself;
 * when it is bound it finds the changed export tables. */
static void change_slots(struct change *change, DWORD dll_at, DWORD slots_at, DWORD names_at,
                         bool delayed)
{
    char dll[MOST_LETTERS];
    if (!name_at(change, dll_at, dll))
        return;
    for (size_t i = 0;; i++) {
        uint64_t offset = slots_at + (uint64_t)i * sizeof(void *);
        void *const *slot = at_offset(change, offset, sizeof *slot);
        if (!slot || !*slot || offset + sizeof *slot > change->bytes)
            return;
        uint64_t lookup = names_at ? lookup_of(change, names_at, i) : 0;
        if (names_at && !lookup)
            return;
        if (delayed && (uintptr_t)*slot - (uintptr_t)change->base < change->bytes)
            continue;
        void *to = ours_for(change, dll, lookup, *slot);
        if (to && to != *slot)
            write_protected((void *)(uintptr_t)slot, &to, sizeof to);
    }
}

static DWORD directory_of(HMODULE module, DWORD which)
{
    const IMAGE_OPTIONAL_HEADER64 *header = &image_headers(module)->OptionalHeader;
    return which < header->NumberOfRvaAndSizes ? header->DataDirectory[which].VirtualAddress : 0;
}

static void change_imports(HMODULE module, const struct interposed *names, size_t count, bool undo)
{
    const IMAGE_NT_HEADERS *headers = image_headers(module);
    if (headers->Signature != IMAGE_NT_SIGNATURE)
        return;
    struct change change = {.base = (char *)module,
                            .bytes = headers->OptionalHeader.SizeOfImage,
                            .names = names,
                            .count = count,
                            .undo = undo,
                            .steps = MOST_STEPS};
    const IMAGE_IMPORT_DESCRIPTOR *import;
    uint64_t at = directory_of(module, IMAGE_DIRECTORY_ENTRY_IMPORT);
    for (; at && (import = at_offset(&change, at, sizeof *import)) != NULL && import->Name &&
           import->FirstThunk;
         at += sizeof *import)
        change_slots(&change, import->Name, import->FirstThunk, import->OriginalFirstThunk, false);
    enum { OFFSETS = 1 }; /* older ones have addresses; no x86-64 module has those */
    const IMAGE_DELAYLOAD_DESCRIPTOR *delayed;
    at = directory_of(module, IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT);
    for (; at && (delayed = at_offset(&change, at, sizeof *delayed)) != NULL && delayed->DllNameRVA;
         at += sizeof *delayed)
        if (delayed->Attributes.AllAttributes & OFFSETS)
            change_slots(&change, delayed->DllNameRVA, delayed->ImportAddressTableRVA,
                         delayed->ImportNameTableRVA, true);
}

static void change_all_imports(HMODULE self, const struct interposed *names, size_t count,
                               bool undo)
{
    HMODULE modules[MODULES] = {GetModuleHandleW(NULL)};
    DWORD bytes = 0;
    size_t found = 1; /* the program itself in any case */
    if (K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes))
        found = bytes / sizeof modules[0] < MODULES ? bytes / sizeof modules[0] : MODULES;
    else
        plat_log(
            "the modules of this process cannot be listed (error %lu): DLLs that were there before "
            "umsshim.dll find no UMS functions",
            GetLastError());
    HMODULE system[1 + SOURCES] = {self};
    for (int source = 0; source < SOURCES; source++)
        system[1 + source] = GetModuleHandleW(source_names[source]);
    for (size_t i = 0; i < found; i++) {
        bool skip = false;
        for (size_t k = 0; k < sizeof system / sizeof system[0]; k++)
            skip |= modules[i] == system[k];
        if (!skip)
            change_imports(modules[i], names, count, undo);
    }
}

/* The number of exports of the system's modules that lead to the address. If a module forwards an
 * export to another module, the address is in that one, whose export table counts. */
static int exports_leading_to(const void *address)
{
    int count = 0;
    for (int source = 0; source < SOURCES; source++) {
        HMODULE module = GetModuleHandleW(source_names[source]);
        if (module)
            count += export_count(module, address);
    }
    return count;
}

int interpose(HMODULE self, struct interposed *names, size_t count)
{
    int missed = 0;
    for (int source = 0; source < SOURCES; source++) {
        HMODULE module = GetModuleHandleW(source_names[source]);
        for (size_t i = 0; i < count; i++) {
            void *theirs = module && belongs(&names[i], source)
                               ? (void *)(uintptr_t)GetProcAddress(module, names[i].name)
                               : NULL;
            names[i].theirs[source] = theirs;
            names[i].alone[source] = theirs && exports_leading_to(theirs) == 1;
        }
    }
    change_all_imports(self, names, count, false);
    for (int source = 0; source < SOURCES; source++)
        missed += change_exports(source, names, count);
    return missed;
}

void interpose_undo(HMODULE self, struct interposed *names, size_t count)
{
    for (int source = 0; source < SOURCES; source++)
        restore_exports(source, names, count);
    change_all_imports(self, names, count, true);
}
