/* SPDX-License-Identifier: MIT
 *
 * damaged_imports.c - programs whose directories of imports are damaged end under umsrun as they
 * end without it.
 *
 * The loader does not look at a delayed import before its first use, so a program with a damaged
 * directory of these runs. Code that goes through the directories must not believe them. Of each
 * two programs one is written here and has random words where its delayed imports and names would
 * be; the other is a linker's, and its directory of delayed imports leads into that of the others,
 * or anywhere.
 *
 * UMSSHIM_DAMAGED="101 50" tries fifty from number 101 on; the number is the seed.
 *
 * modes: unlinked
 * with: pe_writer.c
 * options: LIMIT 60, ANY_SWITCH
 */
#include "gtest_c.h"
#include "pe_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL = 16, LIMIT_MS = 20000, WRONG_USE = 2, FILE_BYTES = 1 << 20 };
enum { TAIL_AT = PE_SECTION_AT + 0x1000, TAIL_BYTES = 0x1000 };

static wchar_t path[MAX_PATH];
static unsigned char bytes[FILE_BYTES];
static DWORD size;

static uint32_t state;

static uint32_t any(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* What a damaged offset may be: somewhere in the image, at its end, far away, nothing. */
static uint32_t odd_word(void)
{
    switch (any() % 6) {
    case 0:
        return any();
    case 1:
        return 0;
    case 2:
        return PE_SECTION_AT + PE_SECTION_BYTES - any() % 16;
    case 3:
        return any() % 64;
    default:
        return TAIL_AT + any() % TAIL_BYTES;
    }
}

static IMAGE_NT_HEADERS64 *headers(void)
{
    return (void *)(bytes + ((IMAGE_DOS_HEADER *)bytes)->e_lfanew);
}

static bool read_file(const wchar_t *from)
{
    HANDLE file = CreateFileW(from, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    bool done = EXPECT_OK(file != INVALID_HANDLE_VALUE) &&
                EXPECT_OK(ReadFile(file, bytes, sizeof bytes, &size, NULL));

    CloseHandle(file);
    return done;
}

static bool write_file(void)
{
    DWORD written = 0;
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    bool done = EXPECT_OK(file != INVALID_HANDLE_VALUE) &&
                EXPECT_OK(WriteFile(file, bytes, size, &written, NULL) && written == size);

    CloseHandle(file);
    return done;
}

static void beside(wchar_t *to, const wchar_t *name)
{
    GetModuleFileNameW(NULL, to, MAX_PATH - 64);
    wcscpy(wcsrchr(to, L'\\') + 1, name);
}

/* Its section's second page is free: all of it is random, and the directories lead there. */
static bool damage_our_own(void)
{
    static const struct pe_kind kind = {.name = "damaged"};

    if (!EXPECT_OK(pe_write(&kind, path)) || !read_file(path))
        return false;
    IMAGE_DATA_DIRECTORY *directories = headers()->OptionalHeader.DataDirectory;
    const IMAGE_SECTION_HEADER *section = (const void *)(headers() + 1);
    uint32_t *words = (void *)(bytes + section->PointerToRawData + (TAIL_AT - PE_SECTION_AT));
    for (int i = 0; i < TAIL_BYTES / 4; i++)
        words[i] = any() % 8 ? odd_word() : 1;
    directories[IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT] =
        (IMAGE_DATA_DIRECTORY){odd_word(), any() % 2 ? any() : 64};
    return true;
}

static bool damage_a_linkers(void)
{
    wchar_t from[MAX_PATH];

    beside(from, L"as_windows_child.exe");
    if (!read_file(from))
        return false;
    IMAGE_OPTIONAL_HEADER64 *header = &headers()->OptionalHeader;
    DWORD imports = header->DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    if (any() % 4 == 0)
        header->NumberOfRvaAndSizes = IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT;
    header->DataDirectory[IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT] =
        (IMAGE_DATA_DIRECTORY){any() % 2 ? imports + any() % 1024 : odd_word(), any()};
    return true;
}

/* -1: it cannot be created. */
static long long exit_code_of(wchar_t *line)
{
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    DWORD code = 0;

    if (!CreateProcessW(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process))
        return -1;
    if (WaitForSingleObject(process.hProcess, LIMIT_MS) != WAIT_OBJECT_0)
        TerminateProcess(process.hProcess, 0xDEAD);
    WaitForSingleObject(process.hProcess, LIMIT_MS);
    GetExitCodeProcess(process.hProcess, &code);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    return code;
}

/* What the loader refuses it may refuse in other words when umsrun has asked it for a DLL more, and
 * umsrun itself may: with the exit code that says so. */
static void compare(unsigned seed)
{
    wchar_t line[3 * MAX_PATH], umsrun[MAX_PATH];
    bool ours = seed % 2;

    state = seed * 2654435761u + 1;
    if (!(ours ? damage_our_own() : damage_a_linkers()) || !write_file())
        return;
    swprintf(line, 3 * MAX_PATH, L"\"%ls\"", path);
    long long alone = exit_code_of(line);
    beside(umsrun, L"umsrun.exe");
    swprintf(line, 3 * MAX_PATH, L"\"%ls\" \"%ls\"", umsrun, path);
    long long under = exit_code_of(line);
    bool refused = alone < 0 || alone >= 0xC0000000;
    EXPECT_THAT(under == alone || (refused && (under == WRONG_USE || under >= 0xC0000000)),
                "program %u ends with 0x%llx alone, with 0x%llx under umsrun", seed, alone, under);
    if (ours)
        EXPECT_THAT(alone == PE_GOOD, "program %u does not run: 0x%llx", seed, alone);
}

TEST(DamagedImports, programs_end_as_without_umsrun)
{
    const char *wanted = getenv("UMSSHIM_DAMAGED");
    unsigned first = 1, count = USUAL;

    if (wanted)
        ASSERT_EQ(sscanf(wanted, "%u %u", &first, &count), 2);
    GetTempPathW(MAX_PATH - 64, path);
    swprintf(path + wcslen(path), 64, L"damaged%lu.exe", GetCurrentProcessId());
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    for (unsigned seed = first; seed < first + count; seed++)
        compare(seed);
    DeleteFileW(path);
}
