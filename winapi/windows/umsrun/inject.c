/* SPDX-License-Identifier: MIT
 *
 * inject.c - see inject.h.
 *
 * umsrun replaces the program's import directory by a longer one, whose first entry names
 * umsshim.dll. The loader has not read the directory yet, and loads the DLL like any import: no
 * code of the library's runs in the process before that. An entry for the API set of UMS, which
 * Windows 11 may lack, becomes one for umsshim.dll, too.
 *
 * The entry imports one function. An import has a hint: the place in the DLL's exports where a
 * loader looks first. Here one of two hints says whether the process gives UMS to its children.
 * Both are past the end of the exports, so the loader goes by the name.
 */
#include "winapi/windows/umsrun/inject.h"

#include <stdint.h>
#include <string.h>
#include <winternl.h>

enum { GRANULE = 64 << 10, MOST_IMPORTS = 1024 };
enum { HINT_ALONE = 0xfff0, HINT_CHILDREN };

static const char imported[] = "ExecuteUmsThread";

/* The data of the new entry, beside the directory. All offsets are from the program's base. */
struct extra {
    ULONGLONG lookup[2], address[2];
    WORD hint;
    char function[30];
    char dll[MAX_PATH];
};

struct image {
    uintptr_t base;
    uintptr_t headers; /* the address of its IMAGE_NT_HEADERS64 */
    IMAGE_NT_HEADERS64 nt;
};

static bool get(HANDLE process, uintptr_t from, void *to, size_t bytes)
{
    SIZE_T got;
    return ReadProcessMemory(process, (void *)from, to, bytes, &got) && got == bytes;
}

static bool put(HANDLE process, uintptr_t to, const void *from, size_t bytes)
{
    SIZE_T written;
    DWORD before, unused;
    if (!VirtualProtectEx(process, (void *)to, bytes, PAGE_READWRITE, &before))
        return false;
    bool ok = WriteProcessMemory(process, (void *)to, from, bytes, &written) && written == bytes;
    VirtualProtectEx(process, (void *)to, bytes, before, &unused);
    return ok;
}

/* The program may have no more than its headers, and an offset in them may lead anywhere. */
static bool read_headers(HANDLE process, uintptr_t base, struct image *image)
{
    enum { MOST = 16 << 20 };
    IMAGE_DOS_HEADER dos;
    if (!get(process, base, &dos, sizeof dos) || dos.e_magic != IMAGE_DOS_SIGNATURE ||
        dos.e_lfanew <= 0 || dos.e_lfanew > MOST)
        return false;
    image->base = base;
    image->headers = base + (uintptr_t)dos.e_lfanew;
    return get(process, image->headers, &image->nt, sizeof image->nt) &&
           image->nt.Signature == IMAGE_NT_SIGNATURE &&
           !(image->nt.FileHeader.Characteristics & IMAGE_FILE_DLL);
}

/* Other images that are no DLLs may be mapped, too. The process block (PEB) names the one that
 * runs. */
static bool find_program(HANDLE process, struct image *image)
{
    enum { IMAGE_BASE = 0x10 }; /* in the PEB: a field without a public name */
    NTSTATUS(NTAPI * query)
    (HANDLE, PROCESSINFOCLASS, void *, ULONG, ULONG *) = (void *)(uintptr_t)GetProcAddress(
        GetModuleHandleW(L"ntdll.dll"), "NtQueryInformationProcess");
    PROCESS_BASIC_INFORMATION basic;
    uintptr_t base;
    return query && query(process, ProcessBasicInformation, &basic, sizeof basic, NULL) >= 0 &&
           get(process, (uintptr_t)basic.PebBaseAddress + IMAGE_BASE, &base, sizeof base) &&
           read_headers(process, base, image);
}

/* Allocates within 32 bits above the program, as its headers' offsets reach no further. */
static uintptr_t allocate_above(HANDLE process, const struct image *image, size_t bytes)
{
    MEMORY_BASIC_INFORMATION region;
    uintptr_t limit = image->base + UINT32_MAX - bytes - GRANULE;
    uintptr_t at = image->base + image->nt.OptionalHeader.SizeOfImage;
    for (at = (at + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1);
         at < limit && VirtualQueryEx(process, (void *)at, &region, sizeof region);) {
        uintptr_t end = (uintptr_t)region.BaseAddress + region.RegionSize;
        if (region.State == MEM_FREE && end - at >= bytes) {
            void *block = VirtualAllocEx(process, (void *)at, bytes, MEM_RESERVE | MEM_COMMIT,
                                         PAGE_READWRITE);
            if (block)
                return (uintptr_t)block;
        }
        at = (end + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1);
    }
    return 0;
}

static bool is_ums_api_set(HANDLE process, uintptr_t name)
{
    static const char set[] = "api-ms-win-core-ums-";
    char text[sizeof set] = "";
    return get(process, name, text, sizeof text - 1) && _stricmp(text, set) == 0;
}

/* Reads the old directory's entries. Returns their number; -1: it cannot be read. */
static int read_imports(HANDLE process, const struct image *image, DWORD our_name,
                        IMAGE_IMPORT_DESCRIPTOR *entries)
{
    DWORD offset =
        image->nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    if (!offset)
        return 0;
    for (int count = 0; count < MOST_IMPORTS; count++) {
        if (!get(process, image->base + offset + (size_t)count * sizeof *entries, &entries[count],
                 sizeof *entries))
            return -1;
        if (!entries[count].Name)
            return count;
        if (is_ums_api_set(process, image->base + entries[count].Name))
            entries[count].Name = our_name;
    }
    return -1;
}

/* The loader makes the import addresses of a program writable. It takes their place from the
 * directory of addresses, or else the section that has the import directory. The new import
 * directory is in no section. So a program without a directory of addresses gets one: the section
 * of its old import directory, or, without imports, the new block. */
static void name_addresses(HANDLE process, struct image *image, DWORD old_imports, DWORD block)
{
    IMAGE_DATA_DIRECTORY *addresses =
        &image->nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IAT];
    uintptr_t at = image->headers + offsetof(IMAGE_NT_HEADERS64, OptionalHeader) +
                   image->nt.FileHeader.SizeOfOptionalHeader;
    if (addresses->VirtualAddress)
        return;
    *addresses = (IMAGE_DATA_DIRECTORY){block, sizeof(struct extra)};
    for (WORD i = 0; old_imports && i < image->nt.FileHeader.NumberOfSections; i++) {
        IMAGE_SECTION_HEADER section;
        if (!get(process, at + i * sizeof section, &section, sizeof section))
            return;
        DWORD bytes = section.Misc.VirtualSize ? section.Misc.VirtualSize : section.SizeOfRawData;
        if (old_imports - section.VirtualAddress < bytes)
            *addresses = (IMAGE_DATA_DIRECTORY){section.VirtualAddress, bytes};
    }
}

static bool is_ascii(const wchar_t *text)
{
    while (*text && *text < 0x80)
        text++;
    return !*text;
}

static bool narrow(const wchar_t *text, char *to, int room)
{
    BOOL lossy = FALSE;
    return WideCharToMultiByte(CP_ACP, WC_NO_BEST_FIT_CHARS, text, -1, to, room, NULL, &lossy) &&
           !lossy;
}

/* An import directory names DLLs in the program's code page, which its manifest may choose, so
 * umsrun does not know it. All code pages agree on ASCII. A path that is not ASCII may have a short
 * form that is. */
static bool name_dll(const wchar_t *dll, char *to, int room)
{
    wchar_t brief[MAX_PATH];
    DWORD length = is_ascii(dll) ? 0 : GetShortPathNameW(dll, brief, MAX_PATH);
    bool has_brief = length && length < MAX_PATH;
    if (has_brief && is_ascii(brief))
        return narrow(brief, to, room);
    return narrow(dll, to, room) || (has_brief && narrow(brief, to, room));
}

/* Writes the headers last, so that a process that is refused stays as it was. */
static const char *insert(HANDLE process, struct image *image, uintptr_t block, struct extra *extra)
{
    IMAGE_IMPORT_DESCRIPTOR entries[MOST_IMPORTS + 2];
    DWORD extra_offset = (DWORD)(block - image->base);
    DWORD name = extra_offset + (DWORD)offsetof(struct extra, dll);
    int count = read_imports(process, image, name, entries + 1);
    if (count < 0)
        return "the program's import directory cannot be read";
    extra->lookup[0] = extra->address[0] = extra_offset + (DWORD)offsetof(struct extra, hint);
    memset(&entries[0], 0, sizeof entries[0]);
    entries[0].OriginalFirstThunk = extra_offset + (DWORD)offsetof(struct extra, lookup);
    entries[0].FirstThunk = extra_offset + (DWORD)offsetof(struct extra, address);
    entries[0].Name = name;
    memset(&entries[count + 1], 0, sizeof entries[0]);

    IMAGE_DATA_DIRECTORY *directories = image->nt.OptionalHeader.DataDirectory;
    name_addresses(process, image, directories[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress,
                   extra_offset);
    directories[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress = extra_offset + (DWORD)sizeof *extra;
    directories[IMAGE_DIRECTORY_ENTRY_IMPORT].Size = (DWORD)((size_t)(count + 2) * sizeof *entries);
    /* The loader would take a directory that was bound ahead instead of the new one. */
    memset(&directories[IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT], 0, sizeof *directories);
    if (!put(process, block, extra, sizeof *extra) ||
        !put(process, block + sizeof *extra, entries, (size_t)(count + 2) * sizeof *entries) ||
        !put(process, image->headers, &image->nt, sizeof image->nt))
        return "the program's headers cannot be changed";
    return NULL;
}

const char *inject(HANDLE process, const wchar_t *dll, bool children)
{
    struct extra extra = {.hint = children ? HINT_CHILDREN : HINT_ALONE};
    struct image image;

    memcpy(extra.function, imported, sizeof imported);
    if (!name_dll(dll, extra.dll, sizeof extra.dll))
        return "the path of umsshim.dll cannot be written in this system's code page";
    if (!find_program(process, &image))
        return "the program is not in the memory of its process";
    size_t bytes = sizeof extra + (MOST_IMPORTS + 2) * sizeof(IMAGE_IMPORT_DESCRIPTOR);
    uintptr_t block = allocate_above(process, &image, bytes);
    if (!block)
        return "there is no free memory near the program";
    const char *why = insert(process, &image, block, &extra);
    if (why) {
        DWORD error = GetLastError();
        VirtualFreeEx(process, (void *)block, 0, MEM_RELEASE);
        SetLastError(error);
    }
    return why;
}

bool inject_goes_on(void)
{
    HANDLE self = GetCurrentProcess();
    uintptr_t base = (uintptr_t)GetModuleHandleW(NULL);
    struct image image;
    IMAGE_IMPORT_DESCRIPTOR first;
    struct extra extra;
    if (!read_headers(self, base, &image))
        return false;
    DWORD at = image.nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    /* `extra` is right before its directory. */
    return get(self, base + at, &first, sizeof first) &&
           first.OriginalFirstThunk + sizeof extra == at &&
           get(self, base + first.OriginalFirstThunk, &extra, sizeof extra) &&
           extra.hint == HINT_CHILDREN && memcmp(extra.function, imported, sizeof imported) == 0;
}
