/* SPDX-License-Identifier: MIT
 *
 * pe_by_hand.c - programs as no linker here makes them: what umsrun writes into their headers is right, field
 * by field, and they run.
 *
 * umsrun's inject.c is compiled in. The program is created suspended, its headers are read, changed by inject
 * and read again; then it goes on, and its exit code says whether it found the functions.
 *
 * modes: unlinked
 * with: pe_writer.c, ../../winapi/windows/umsrun/inject.c, ../../winapi/windows/umsrun/pe_link.c
 * with: ../../winapi/windows/umsrun/pe_unlink.c, ../../winapi/windows/umsrun/pe_objection.c
 * with: ../../winapi/windows/pe_image.c
 * libraries: ntdll
 * options: ANY_SWITCH
 */
#include "gtest_c.h"
#include "pe_writer.h"
#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/pe_link.h"

#include <winternl.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 20000, DLLS = PE_MOST_DLLS + 3 };

#define UMS "CreateUmsCompletionList", "DeleteUmsCompletionList"
#define REST "GetLastError", "ExitProcess"

/* ---- The folder ----------------------------------------------------------------------------------- */

static wchar_t folder[MAX_PATH], program[MAX_PATH + 32], dll[MAX_PATH];

/* A test that was killed leaves its folder, and its number is another process's later. */
static bool make_folder(const wchar_t *name)
{
    wchar_t temp[MAX_PATH];
    BOOL made;
    int count = 0;

    if (!EXPECT_OK(GetTempPathW(MAX_PATH - 64, temp)))
        return false;
    do {
        swprintf(folder, MAX_PATH, L"%ls%ls%lu-%d", temp, name, GetCurrentProcessId(), count++);
        made = CreateDirectoryW(folder, NULL);
    } while (!made && GetLastError() == ERROR_ALREADY_EXISTS && count < 1000);
    swprintf(program, MAX_PATH + 32, L"%ls\\program.exe", folder);
    return EXPECT_OK(made);
}

static void remove_folder(void)
{
    EXPECT_OK(DeleteFileW(program));
    EXPECT_OK(RemoveDirectoryW(folder));
}

static void find_dll(void)
{
    GetModuleFileNameW(NULL, dll, MAX_PATH - 32);
    wcscpy(wcsrchr(dll, L'\\') + 1, L"umsshim.dll");
}

/* ---- What is in the process ----------------------------------------------------------------------- */

struct image {
    uintptr_t base;
    IMAGE_NT_HEADERS64 nt;
    IMAGE_SECTION_HEADER section;
    IMAGE_IMPORT_DESCRIPTOR imports[DLLS];
    int count;
};

static bool get(HANDLE process, uintptr_t from, void *to, size_t size)
{
    SIZE_T got = 0;

    return ReadProcessMemory(process, (void *)from, to, size, &got) && got == size;
}

static bool read_image(HANDLE process, struct image *image)
{
    PROCESS_BASIC_INFORMATION basic;
    IMAGE_DOS_HEADER dos;
    uintptr_t headers, entry;

    memset(image, 0, sizeof *image);
    if (!EXPECT_EQ(
            NtQueryInformationProcess(process, ProcessBasicInformation, &basic, sizeof basic, NULL),
            0) ||
        !EXPECT_OK(get(process, (uintptr_t)basic.PebBaseAddress + 0x10, &image->base, 8)) ||
        !EXPECT_OK(get(process, image->base, &dos, sizeof dos)))
        return false;
    headers = image->base + (uintptr_t)dos.e_lfanew;
    if (!EXPECT_OK(get(process, headers, &image->nt, sizeof image->nt)) ||
        !EXPECT_OK(
            get(process, headers + sizeof image->nt, &image->section, sizeof image->section)))
        return false;
    entry = image->nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    for (entry = entry ? image->base + entry : 0; entry && image->count < DLLS; image->count++)
        if (!EXPECT_OK(get(process, entry + (size_t)image->count * sizeof image->imports[0],
                           &image->imports[image->count], sizeof image->imports[0])) ||
            !image->imports[image->count].Name)
            break;
    return EXPECT_LT(image->count, DLLS);
}

static void expect_text(HANDLE process, uintptr_t at, const char *wanted)
{
    char text[MAX_PATH] = "";

    EXPECT_OK(get(process, at, text, strlen(wanted) + 1));
    EXPECT_STREQ(text, wanted);
}

/* Our entry: the DLL's name and one function, looked up and not yet found. */
static void expect_entry(HANDLE process, const struct image *after, const char *name)
{
    const IMAGE_IMPORT_DESCRIPTOR *first = &after->imports[0];
    ULONGLONG lookups[2] = {0, 1}, addresses[2] = {0, 1};

    EXPECT_GE(first->FirstThunk, after->nt.OptionalHeader.SizeOfImage);
    if (name)
        expect_text(process, after->base + first->Name, name);
    EXPECT_OK(get(process, after->base + first->OriginalFirstThunk, lookups, sizeof lookups));
    EXPECT_OK(get(process, after->base + first->FirstThunk, addresses, sizeof addresses));
    EXPECT_NE(lookups[0], 0);
    EXPECT_EQ(lookups[1], 0);
    EXPECT_EQ(addresses[0], lookups[0]);
    EXPECT_EQ(addresses[1], 0);
    EXPECT_EQ(first->TimeDateStamp, 0);
    expect_text(process, after->base + (uintptr_t)lookups[0] + 2, "ExecuteUmsThread");
}

static bool is_ums_set(const struct pe_kind *kind, int i)
{
    return strncmp(kind->imports[i].dll, "api-ms-win-core-ums-", 20) == 0;
}

/* Memory that a loader makes writable holds every table of addresses. */
static void expect_addresses(const struct pe_kind *kind, const struct image *before,
                             const struct image *after)
{
    const IMAGE_DATA_DIRECTORY *was =
        &before->nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IAT];
    const IMAGE_DATA_DIRECTORY *is =
        &after->nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IAT];

    if (was->VirtualAddress) {
        EXPECT_EQ(is->VirtualAddress, was->VirtualAddress);
        EXPECT_EQ(is->Size, was->Size);
    } else if (kind->imports[0].dll) {
        EXPECT_EQ(is->VirtualAddress, PE_SECTION_AT);
        EXPECT_EQ(is->Size, PE_SECTION_BYTES);
    } else {
        EXPECT_LE(is->VirtualAddress, after->imports[0].FirstThunk);
        EXPECT_GE(is->VirtualAddress + is->Size, after->imports[0].FirstThunk + 16);
    }
}

/* The fields that inject may change, as they were: then nothing else may differ. */
static void expect_nothing_else(const struct image *before, struct image *after)
{
    static const int changed[] = {IMAGE_DIRECTORY_ENTRY_IMPORT, IMAGE_DIRECTORY_ENTRY_IAT,
                                  IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT};

    for (int i = 0; i < 3; i++)
        after->nt.OptionalHeader.DataDirectory[changed[i]] =
            before->nt.OptionalHeader.DataDirectory[changed[i]];
    EXPECT_EQ(memcmp(&after->nt, &before->nt, sizeof after->nt), 0);
    EXPECT_EQ(memcmp(&after->section, &before->section, sizeof after->section), 0);
}

static void expect_headers(HANDLE process, const struct pe_kind *kind, const struct image *before,
                           const char *name)
{
    struct image after;
    const IMAGE_DATA_DIRECTORY *directories = after.nt.OptionalHeader.DataDirectory;

    if (!read_image(process, &after))
        return;
    EXPECT_EQ(after.count, before->count + 1);
    EXPECT_GE(directories[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress,
              after.nt.OptionalHeader.SizeOfImage);
    EXPECT_EQ(directories[IMAGE_DIRECTORY_ENTRY_IMPORT].Size,
              (size_t)(after.count + 1) * sizeof after.imports[0]);
    EXPECT_EQ(directories[IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT].VirtualAddress, 0);
    EXPECT_EQ(directories[IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT].Size, 0);
    expect_entry(process, &after, name);
    expect_addresses(kind, before, &after);
    for (int i = 0; i < before->count && i + 1 < after.count; i++) {
        IMAGE_IMPORT_DESCRIPTOR wanted = before->imports[i];

        if (is_ums_set(kind, i))
            wanted.Name = after.imports[0].Name;
        EXPECT_EQ(memcmp(&after.imports[i + 1], &wanted, sizeof wanted), 0);
    }
    expect_nothing_else(before, &after);
}

/* ---- A program's life ----------------------------------------------------------------------------- */

/* An image that is no DLL either lies below the program: a product that watches programs may put
 * it there. */
static void map_another(HANDLE process)
{
    NTSTATUS(NTAPI * map)
    (HANDLE, HANDLE, void **, ULONG_PTR, SIZE_T, LARGE_INTEGER *, SIZE_T *, DWORD, ULONG, ULONG) =
        (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtMapViewOfSection");
    enum { VIEW_UNMAP = 2, BELOW = 0x3fffffff }; /* left to the system it may lie above: Wine 10 */
    wchar_t path[MAX_PATH];
    void *at = NULL;
    SIZE_T size = 0;
    HANDLE file, section;

    GetModuleFileNameW(NULL, path, MAX_PATH);
    file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    section = CreateFileMappingW(file, NULL, PAGE_READONLY | SEC_IMAGE, 0, 0, NULL);
    EXPECT_OK(section != NULL);
    EXPECT_GE(map(section, process, &at, BELOW, 0, NULL, &size, VIEW_UNMAP, 0, PAGE_READONLY), 0);
    EXPECT_LT((uintptr_t)at, 0x140000000);
    CloseHandle(section);
    CloseHandle(file);
}

/* How the functions come into the program's process. */
enum way { ALONE, INJECTED, LINKED };

/* The program's file becomes one that imports the DLL. It can be undone, bit by bit. */
static bool link_program(const char *name)
{
    static uint8_t bytes[1 << 16];
    struct pe_linked linked = {0}, back = {0};
    const char *why;
    DWORD size = 0;
    HANDLE file =
        CreateFileW(program, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);

    EXPECT_OK(ReadFile(file, bytes, sizeof bytes, &size, NULL));
    why = pe_link(bytes, size, name, "ExecuteUmsThread", &linked);
    EXPECT_THAT(!why, "the program %s", why);
    if (!why) {
        EXPECT_EQ(pe_unlink(linked.bytes, linked.size, &back), NULL);
        EXPECT_OK(back.size == size && memcmp(back.bytes, bytes, size) == 0);
        SetFilePointer(file, 0, NULL, FILE_BEGIN);
        EXPECT_OK(WriteFile(file, linked.bytes, (DWORD)linked.size, &size, NULL));
    }
    free(back.bytes);
    free(linked.bytes);
    CloseHandle(file);
    return !why;
}

static DWORD run(const struct pe_kind *kind, enum way way, const char *name)
{
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    struct image before;
    DWORD code = 0;

    if (!EXPECT_OK(pe_write(kind, program)) || (way == LINKED && !link_program(name)) ||
        !EXPECT_OK(CreateProcessW(program, NULL, NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL,
                                  &startup, &process)))
        return 0;
    if (kind->beside)
        map_another(process.hProcess);
    if (way == INJECTED && read_image(process.hProcess, &before)) {
        const char *why = inject(process.hProcess, dll, false);

        EXPECT_THAT(!why, "inject: %s", why);
        expect_headers(process.hProcess, kind, &before, name);
    }
    ResumeThread(process.hThread);
    if (WaitForSingleObject(process.hProcess, LIMIT_MS) != WAIT_OBJECT_0) {
        FAIL("%s is not over after %d s", kind->name, LIMIT_MS / 1000);
        TerminateProcess(process.hProcess, 1);
        WaitForSingleObject(process.hProcess, LIMIT_MS);
    }
    EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return code;
}

/* With the functions it ends well; without, with what they fail with. */
static void expect_run(const struct pe_kind *kind)
{
    char name[MAX_PATH] = "";
    DWORD code;

    find_dll();
    if (!make_folder(L"pe_by_hand"))
        return;
    WideCharToMultiByte(CP_ACP, 0, dll, -1, name, sizeof name, NULL, NULL);
    code = run(kind, INJECTED, name);
    EXPECT_THAT(code == PE_GOOD, "%s ended with 0x%lx", kind->name, code);
    code = run(kind, LINKED, name);
    EXPECT_THAT(code == PE_GOOD, "%s, linked, ended with 0x%lx", kind->name, code);
    if (kind->imports[0].dll) {
        code = run(kind, ALONE, NULL);
        EXPECT_THAT(code == ERROR_NOT_SUPPORTED || code == ERROR_CALL_NOT_IMPLEMENTED,
                    "%s, alone, ended with 0x%lx", kind->name, code);
    }
    remove_folder();
}

#define KIND(suffix, ...)                                                                          \
    TEST(PeByHand, suffix)                                                                         \
    {                                                                                              \
        static const struct pe_kind kind = {.name = #suffix, __VA_ARGS__};                         \
        expect_run(&kind);                                                                         \
    }

KIND(usual, .imports = {{"KERNEL32.dll", {UMS, REST}}})
KIND(no_imports_at_all, .no_address_directory = true)
KIND(no_directory_of_addresses, .imports = {{"KERNEL32.dll", {UMS, REST}}},
     .no_address_directory = true)
KIND(import_directory_of_size_0, .imports = {{"KERNEL32.dll", {UMS, REST}}}, .no_import_size = true)
KIND(neither_size_nor_addresses, .imports = {{"KERNEL32.dll", {UMS, REST}}}, .no_import_size = true,
     .no_address_directory = true)
KIND(bound, .imports = {{"KERNEL32.dll", {UMS, REST}}}, .bound = true)
KIND(names_in_the_address_table_only, .imports = {{"KERNEL32.dll", {UMS, REST}}},
     .no_lookups = true)
KIND(delayed, .imports = {{"KERNEL32.dll", {"GetModuleHandleA", "GetProcAddress", REST}}},
     .delayed = true)
KIND(api_sets, .imports = {{"api-ms-win-core-errorhandling-l1-1-0.dll", {"GetLastError"}},
                           {"api-ms-win-core-ums-l1-1-0.dll", {UMS}},
                           {"api-ms-win-core-processthreads-l1-1-0.dll", {"ExitProcess"}}})
KIND(in_the_middle, .imports = {{"ntdll.dll", {"NtClose"}},
                                {"kernel32.DLL",
                                 {"GetLastError", "CreateUmsCompletionList", "Sleep",
                                  "DeleteUmsCompletionList", "ExitProcess"}},
                                {"KERNELBASE.dll", {"SetEvent"}}})
KIND(in_two_parts, .imports = {{"kernel32", {"CreateUmsCompletionList", "GetLastError"}},
                               {"KERNEL32.DLL", {"ExitProcess", "DeleteUmsCompletionList"}}})
KIND(another_image_below, .imports = {{"KERNEL32.dll", {UMS, REST}}}, .beside = true)
KIND(header_far_behind, .imports = {{"KERNEL32.dll", {UMS, REST}}}, .header_at = 0xC00)
KIND(header_far_behind_without_addresses, .imports = {{"KERNEL32.dll", {UMS, REST}}},
     .header_at = 0xE68, .no_address_directory = true)

/* The loader takes the name of our DLL for what the program's code page says, which need not be umsrun's. So it
 * is one that all code pages agree on. */
TEST(PeByHand, code_page_of_its_own)
{
    static const struct pe_kind kind = {
        .name = "utf8", .imports = {{"KERNEL32.dll", {UMS, REST}}}, .utf8 = true};
    wchar_t from[MAX_PATH], brief[MAX_PATH] = L"";
    char name[MAX_PATH] = "";
    DWORD code;

    find_dll();
    wcscpy(from, dll);
    if (!make_folder(L"Ein B\u00E4r mit einem langen Namen"))
        return;
    swprintf(dll, MAX_PATH, L"%ls\\umsshim.dll", folder);
    ASSERT_OK(CopyFileW(from, dll, FALSE));
    EXPECT_OK(GetShortPathNameW(dll, brief, MAX_PATH));
    for (int i = 0; brief[i]; i++) {
        name[i] = (char)brief[i];
        if (brief[i] >= 0x80) /* no short names here: then it is told in this system's code page */
            WideCharToMultiByte(CP_ACP, 0, dll, -1, name, sizeof name, NULL, NULL);
        if (brief[i] >= 0x80)
            break;
    }
    code = run(&kind, INJECTED, name);
    EXPECT_THAT(code == PE_GOOD, "it ended with 0x%lx", code);
    EXPECT_OK(DeleteFileW(dll));
    remove_folder();
}
