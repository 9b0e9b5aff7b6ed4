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

#include "platform/windows/os/near_pages.h"
#include "winapi/windows/export_table.h"

struct jump {
    uint8_t code[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t unused[2];
};
_Static_assert(sizeof(struct jump) == 16, "one beside the other");

enum { MODULES = 512, MOST_NAMES = 64 };
enum { SOURCES = 2 };
static const wchar_t *const source_names[SOURCES] = {L"kernel32.dll", L"kernelbase.dll"};
static DWORD old_offsets[SOURCES][MOST_NAMES]; /* 0: not changed */

/* ---- Export tables ------------------------------------------------------------------------------
 */

static struct jump *make_jumps(HMODULE module, const struct interposed *names, size_t count)
{
    uintptr_t base = (uintptr_t)module;
    struct jump *jumps =
        near_pages(base, base + image_headers(module)->OptionalHeader.SizeOfImage, true,
                   count * sizeof *jumps);
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
        DWORD *entry = export_entry(module, names[i].name);
        if (!entry)
            continue;
        if (!jumps)
            jumps = make_jumps(module, names, count);
        if (!jumps)
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
        DWORD *entry = export_entry(module, names[i].name);
        if (entry && old_offsets[source][i])
            write_protected(entry, &old_offsets[source][i], sizeof *entry);
        old_offsets[source][i] = 0;
    }
}

/* ---- Import tables ------------------------------------------------------------------------------
 */

/* Where an import that leads to `now` ought to lead; NULL: where it does. */
static void *better(void *now, const struct interposed *names, size_t count, bool undo)
{
    for (size_t i = 0; i < count; i++) {
        if (undo && now == names[i].ours)
            return names[i].theirs[0] ? names[i].theirs[0] : names[i].theirs[1];
        if (!undo && now && (now == names[i].theirs[0] || now == names[i].theirs[1]))
            return names[i].ours;
    }
    return NULL;
}

/* By name, for what the system at hand does not export at all: then an import leads nowhere good.
 */
static void *missing(const char *name, const struct interposed *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!names[i].theirs[0] && !names[i].theirs[1] && strcmp(name, names[i].name) == 0)
            return names[i].ours;
    return NULL;
}

static bool comes_from_kernel32(const char *dll)
{
    return _stricmp(dll, "kernel32.dll") == 0 ||
           _strnicmp(dll, "api-ms-win-core-ums-", strlen("api-ms-win-core-ums-")) == 0;
}

static void change_imports(HMODULE module, const struct interposed *names, size_t count, bool undo)
{
    char *base = (char *)module;
    const IMAGE_NT_HEADERS *headers = image_headers(module);
    const IMAGE_DATA_DIRECTORY *directory =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    if (headers->Signature != IMAGE_NT_SIGNATURE || !directory->VirtualAddress)
        return;
    const IMAGE_IMPORT_DESCRIPTOR *import = (const void *)(base + directory->VirtualAddress);
    for (; import->Name && import->FirstThunk; import++) {
        void **slots = (void *)(base + import->FirstThunk);
        const ULONGLONG *lookups =
            import->OriginalFirstThunk ? (void *)(base + import->OriginalFirstThunk) : NULL;
        bool look = !undo && lookups && comes_from_kernel32(base + import->Name);
        for (size_t i = 0; slots[i]; i++) {
            void *to = better(slots[i], names, count, undo);
            if (!to && look && lookups[i] && !IMAGE_SNAP_BY_ORDINAL64(lookups[i]))
                to = missing(((IMAGE_IMPORT_BY_NAME *)(base + lookups[i]))->Name, names, count);
            if (to)
                write_protected(&slots[i], &to, sizeof to);
        }
    }
}

static void change_all_imports(HMODULE self, const struct interposed *names, size_t count,
                               bool undo)
{
    HMODULE modules[MODULES];
    DWORD bytes = 0;
    if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes))
        return;
    size_t found = bytes / sizeof modules[0] < MODULES ? bytes / sizeof modules[0] : MODULES;
    HMODULE system[] = {self, GetModuleHandleW(L"ntdll.dll"), GetModuleHandleW(source_names[0]),
                        GetModuleHandleW(source_names[1])};
    for (size_t i = 0; i < found; i++) {
        bool skip = false;
        for (size_t k = 0; k < sizeof system / sizeof system[0]; k++)
            skip |= modules[i] == system[k];
        if (!skip)
            change_imports(modules[i], names, count, undo);
    }
}

int interpose(HMODULE self, struct interposed *names, size_t count)
{
    int missed = 0;
    for (int source = 0; source < SOURCES; source++) {
        HMODULE module = GetModuleHandleW(source_names[source]);
        for (size_t i = 0; i < count; i++)
            names[i].theirs[source] =
                module ? (void *)(uintptr_t)GetProcAddress(module, names[i].name) : NULL;
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
