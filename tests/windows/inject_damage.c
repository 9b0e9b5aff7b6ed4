/* SPDX-License-Identifier: MIT
 *
 * inject_damage.c - umsrun's inject on processes whose headers are not as a linker makes them: each
 * is an answer in moments, and what it refuses is as it was.
 *
 * A program is created suspended. Then its headers in memory are damaged, inject is called, and
 * they are put right again; the program never runs. The same headers are tried as a file that
 * umsrun is to judge.
 *
 * modes: unlinked
 * with: pe_writer.c, ../../winapi/windows/umsrun/inject.c, ../../winapi/windows/umsrun/job.c
 * with: ../../winapi/windows/umsrun/program.c, ../../winapi/windows/pe_image.c
 * libraries: ntdll
 * options: ANY_SWITCH
 */
#include "gtest_c.h"
#include "pe_writer.h"
#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/job.h"
#include "winapi/windows/umsrun/program.h"

#include <winternl.h>

#include <stdio.h>
#include <string.h>

enum { HEADERS = 0x1000, FIELDS_END = 0x1b0, CASES = 1000 };
/* A walk by a count that the headers give takes minutes, a few reads on a busy machine a second. */
enum { PATIENCE_MS = 8000 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* One to three fields of two to eight bytes, with values at which sums overflow. */
static void damage(uint8_t *headers)
{
    static const uint32_t odd[] = {
        0,       1,         2,          0x3f,       0x40,       0xfff,    0x1000,     0xffff,
        0x10000, 0x1000000, 0x7fffffff, 0x80000000, 0xfffff000, 0xffffff, 0xfffffff0, 0xffffffff};

    for (uint32_t changes = 1 + draw(3); changes; changes--) {
        uint32_t value = draw(3) ? odd[draw(sizeof odd / sizeof odd[0])] : draw(UINT32_MAX);

        memcpy(headers + 2 * draw(FIELDS_END / 2), &value, draw(2) ? 2 : 4);
    }
}

static bool write_headers(HANDLE process, uint8_t *base, const uint8_t *headers)
{
    DWORD before;
    SIZE_T written = 0;

    return VirtualProtectEx(process, base, HEADERS, PAGE_READWRITE, &before) &&
           WriteProcessMemory(process, base, headers, HEADERS, &written) && written == HEADERS &&
           VirtualProtectEx(process, base, HEADERS, before, &before);
}

/* What inject took for the new import directory: else the next case walks around it. */
static void free_block(HANDLE process, uint8_t *base, const uint8_t *headers)
{
    const IMAGE_NT_HEADERS64 *nt =
        (const void *)(headers + ((const IMAGE_DOS_HEADER *)headers)->e_lfanew);
    MEMORY_BASIC_INFORMATION region;

    if ((const uint8_t *)(nt + 1) <= headers + HEADERS &&
        VirtualQueryEx(
            process,
            base + nt->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress,
            &region, sizeof region) &&
        region.Type == MEM_PRIVATE)
        EXPECT_OK(VirtualFreeEx(process, region.AllocationBase, 0, MEM_RELEASE));
}

static void find_dll(wchar_t *dll)
{
    GetModuleFileNameW(NULL, dll, MAX_PATH - 32);
    wcscpy(wcsrchr(dll, L'\\') + 1, L"umsshim.dll");
}

static bool start(wchar_t *path, PROCESS_INFORMATION *process, uint8_t **base)
{
    static const struct pe_kind kind = {
        .name = "damaged",
        .imports = {{"KERNEL32.dll",
                     {"CreateUmsCompletionList", "DeleteUmsCompletionList", "GetLastError",
                      "ExitProcess"}}}};
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_BASIC_INFORMATION basic;
    SIZE_T got = 0;
    wchar_t temp[MAX_PATH];

    GetTempPathW(MAX_PATH - 64, temp);
    swprintf(path, MAX_PATH, L"%lsinject_damage%lu.exe", temp, GetCurrentProcessId());
    /* In a job that ends with this process, whatever becomes of the test. */
    return EXPECT_OK(pe_write(&kind, path)) &&
           EXPECT_OK(CreateProcessW(path, NULL, NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL,
                                    &startup, process)) &&
           EXPECT_OK(AssignProcessToJobObject(job_make(), process->hProcess)) &&
           EXPECT_EQ(NtQueryInformationProcess(process->hProcess, ProcessBasicInformation, &basic,
                                               sizeof basic, NULL),
                     0) &&
           EXPECT_OK(ReadProcessMemory(process->hProcess, (char *)basic.PebBaseAddress + 0x10, base,
                                       8, &got));
}

static void end(const wchar_t *path, const PROCESS_INFORMATION *process)
{
    TerminateProcess(process->hProcess, 0);
    EXPECT_EQ(WaitForSingleObject(process->hProcess, 20000), WAIT_OBJECT_0);
    CloseHandle(process->hThread);
    CloseHandle(process->hProcess);
    EXPECT_OK(DeleteFileW(path));
}

TEST(InjectDamage, headers_in_memory)
{
    static uint8_t good[HEADERS], bad[HEADERS], after[HEADERS];
    wchar_t path[MAX_PATH], dll[MAX_PATH];
    PROCESS_INFORMATION process;
    unsigned refused = 0;
    ULONGLONG longest = 0;
    uint8_t *base = NULL;
    SIZE_T got = 0;

    find_dll(dll);
    ASSERT_OK(start(path, &process, &base));
    EXPECT_OK(ReadProcessMemory(process.hProcess, base, good, HEADERS, &got));
    for (int i = 0; i < CASES; i++) {
        ULONGLONG begun = GetTickCount64();
        const char *why;

        memcpy(bad, good, HEADERS);
        damage(bad);
        EXPECT_OK(write_headers(process.hProcess, base, bad));
        begun = GetTickCount64();
        why = inject(process.hProcess, dll, false);
        longest = GetTickCount64() - begun > longest ? GetTickCount64() - begun : longest;
        EXPECT_OK(ReadProcessMemory(process.hProcess, base, after, HEADERS, &got));
        EXPECT_THAT(!why || memcmp(after, bad, HEADERS) == 0,
                    "case %d is refused (%s), and changed", i, why);
        refused += why != NULL;
        if (!why)
            free_block(process.hProcess, base, after);
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, CASES);
    EXPECT_LT(longest, PATIENCE_MS);
    EXPECT_OK(write_headers(process.hProcess, base, good));
    EXPECT_EQ(inject(process.hProcess, dll, false), NULL);
    end(path, &process);
}

/* What umsrun says of a file before it starts it. */
TEST(InjectDamage, headers_in_a_file)
{
    static uint8_t good[HEADERS], bad[HEADERS];
    wchar_t path[MAX_PATH], copy[MAX_PATH + 8];
    PROCESS_INFORMATION process;
    unsigned refused = 0;
    uint8_t *base = NULL;
    DWORD got = 0;
    HANDLE file;

    ASSERT_OK(start(path, &process, &base));
    swprintf(copy, MAX_PATH + 8, L"%ls.copy", path);
    file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       0, NULL);
    EXPECT_OK(ReadFile(file, good, HEADERS, &got, NULL));
    CloseHandle(file);
    for (int i = 0; i < CASES / 5; i++) {
        memcpy(bad, good, HEADERS);
        damage(bad);
        file = CreateFileW(copy, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
        EXPECT_OK(WriteFile(file, bad, draw(2) ? HEADERS : draw(HEADERS), &got, NULL));
        CloseHandle(file);
        refused += program_objection(copy) != NULL;
        program_has_windows(copy);
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, CASES / 5);
    EXPECT_OK(DeleteFileW(copy));
    end(path, &process);
}
