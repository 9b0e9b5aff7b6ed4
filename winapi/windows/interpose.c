/* SPDX-License-Identifier: MIT
 *
 * interpose.c - see interpose.h.
 *
 * An export table holds 32-bit offsets from its module's start, so what it leads to must lie above
 * the module: a page there has a jump to ours for each name. Where there is no such page (a policy
 * against new code) the import tables of modules that are there already are all that is served.
 */
#include "winapi/windows/interpose.h"

#include <psapi.h>
#include <stdint.h>
#include <string.h>

#include "platform/platform.h"
#include "platform/windows/os/near_pages.h"
#include "winapi/windows/export_table.h"

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

/* ---- Export tables ------------------------------------------------------------------------------
 */

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
        if (!jumps) /* no page for the others, either */
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

/* ---- Import tables ------------------------------------------------------------------------------
 */

/* Any of them may have the names, and lead to kernel32 or kernelbase. */
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

struct change {
    char *base; /* of the module */
    size_t bytes;
    const struct interposed *names;
    size_t count;
    bool undo;
};

/* One DLL's imports. A delayed import that is not bound yet leads into the module itself; it will ask the
 * export tables. */
static void change_slots(const struct change *change, const char *dll, DWORD slots_at,
                         DWORD names_at, bool delayed)
{
    void **slots = (void *)(change->base + slots_at);
    const ULONGLONG *lookups = names_at ? (void *)(change->base + names_at) : NULL;
    bool in_ntdll = asks_ntdll(dll);
    bool by_name = lookups && (in_ntdll || asks_kernel32(dll));
    for (size_t i = 0; slots[i] && (!lookups || lookups[i]); i++) {
        void *to = NULL;
        if (delayed && (uintptr_t)slots[i] - (uintptr_t)change->base < change->bytes)
            continue;
        if (change->undo)
            to = theirs_instead(slots[i], change->names, change->count);
        else if (by_name && !IMAGE_SNAP_BY_ORDINAL64(lookups[i]))
            to = ours_by_name(((IMAGE_IMPORT_BY_NAME *)(change->base + lookups[i]))->Name, in_ntdll,
                              change->names, change->count);
        else
            to = ours_by_address(slots[i], change->names, change->count);
        if (to && to != slots[i])
            write_protected(&slots[i], &to, sizeof to);
    }
}

static const void *directory_at(const struct change *change, int which)
{
    DWORD offset =
        image_headers((HMODULE)change->base)->OptionalHeader.DataDirectory[which].VirtualAddress;
    return offset ? change->base + offset : NULL;
}

static void change_imports(HMODULE module, const struct interposed *names, size_t count, bool undo)
{
    const IMAGE_NT_HEADERS *headers = image_headers(module);
    if (headers->Signature != IMAGE_NT_SIGNATURE)
        return;
    struct change change = {(char *)module, headers->OptionalHeader.SizeOfImage, names, count,
                            undo};
    const IMAGE_IMPORT_DESCRIPTOR *import = directory_at(&change, IMAGE_DIRECTORY_ENTRY_IMPORT);
    for (; import && import->Name && import->FirstThunk; import++)
        change_slots(&change, change.base + import->Name, import->FirstThunk,
                     import->OriginalFirstThunk, false);
    enum { OFFSETS = 1 }; /* older ones have addresses, and none is for x86-64 */
    const IMAGE_DELAYLOAD_DESCRIPTOR *delayed =
        directory_at(&change, IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT);
    for (; delayed && delayed->DllNameRVA; delayed++)
        if (delayed->Attributes.AllAttributes & OFFSETS)
            change_slots(&change, change.base + delayed->DllNameRVA, delayed->ImportAddressTableRVA,
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

/* An export may be a forwarder to the other one: then it leads there, and counts there. */
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
