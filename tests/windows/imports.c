/* SPDX-License-Identifier: MIT
 *
 * imports.c - the names of UMS functions lead to umsshim.dll while it is there, in every way in which a module can get
 * at them, and are given back. The program is not linked with it.
 *
 * modes: unlinked
 */
#include <windows.h>

#include "gtest_c.h"
#include "stubs_seen.h"

#include <stdint.h>
#include <string.h>

TEST(Imports, names_are_found_in_every_way_there_is)
{
    static const char *const names[] = {"CreateUmsCompletionList",
                                        "CreateUmsThreadContext",
                                        "DeleteUmsCompletionList",
                                        "DeleteUmsThreadContext",
                                        "DequeueUmsCompletionListItems",
                                        "EnterUmsSchedulingMode",
                                        "ExecuteUmsThread",
                                        "GetCurrentUmsThread",
                                        "GetNextUmsListItem",
                                        "GetUmsCompletionListEvent",
                                        "QueryUmsThreadInformation",
                                        "SetUmsThreadInformation",
                                        "UmsThreadYield"};
    LONG(NTAPI * get)
    (HMODULE, void *, ULONG, void **) = address("ntdll.dll", "LdrGetProcedureAddress");
    HMODULE kernel32 = GetModuleHandleA("kernel32.dll");
    HMODULE api_set = LoadLibraryA("api-ms-win-core-ums-l1-1-0.dll");
    void *before[sizeof names / sizeof names[0]];
    HMODULE dll;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        before[i] = address("kernel32.dll", names[i]);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    ASSERT_OK(get != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct {
            USHORT length, room;
            const char *text;
        } name = {(USHORT)strlen(names[i]), (USHORT)(strlen(names[i]) + 1), names[i]};
        void *found = address("kernel32.dll", names[i]), *other = NULL;

        EXPECT_THAT(found && found != before[i], "%s", names[i]);
        EXPECT_EQ(get(kernel32, &name, 0, &other), 0);
        EXPECT_EQ(other, found);
        if (api_set)
            EXPECT_EQ(GetProcAddress(api_set, names[i]), found);
    }
    EXPECT_OK(FreeLibrary(dll));
}

/* On a system where all of these functions are one, as they may be where each does nothing but fail: what a
 * module imports goes by its names. */
TEST(Imports, from_a_system_where_the_functions_are_one)
{
    static const char *const names[] = {
#define IMPORTED(name) #name,
#include "legacy/ums_names.h"
#undef IMPORTED
    };
    enum { NAMES = sizeof names / sizeof names[0], MERGED = NAMES - 2 };
    char *kernel32 = (char *)GetModuleHandleA("kernel32.dll");
    const IMAGE_NT_HEADERS *headers =
        (const void *)(kernel32 + ((const IMAGE_DOS_HEADER *)kernel32)->e_lfanew);
    const IMAGE_EXPORT_DIRECTORY *exports =
        (const void *)(kernel32 + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
    DWORD *functions = (DWORD *)(kernel32 + exports->AddressOfFunctions);
    const DWORD *texts = (const DWORD *)(kernel32 + exports->AddressOfNames);
    const WORD *ordinals = (const WORD *)(kernel32 + exports->AddressOfNameOrdinals);
    DWORD one = (DWORD)((char *)address("kernel32.dll", names[0]) - kernel32), before;
    DWORD bytes = exports->NumberOfFunctions * (DWORD)sizeof *functions;
    void *(*where)(const char *);
    HMODULE importer, dll;
    void *sleep;

    ASSERT_OK(VirtualProtect(functions, bytes, PAGE_READWRITE, &before));
    for (DWORD i = 0; i < exports->NumberOfNames; i++) {
        for (int k = 0; k < MERGED; k++)
            if (strcmp(kernel32 + texts[i], names[k]) == 0)
                functions[ordinals[i]] = one;
    }
    ASSERT_OK(VirtualProtect(functions, bytes, before, &before));
    importer = LoadLibraryA("importer.dll");
    ASSERT_OK(importer != NULL);
    where = (void *)(uintptr_t)GetProcAddress(importer, "where");
    ASSERT_OK(where != NULL);
    EXPECT_EQ(where(names[5]), kernel32 + one);
    sleep = where("Sleep");
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    for (int i = 0; i < MERGED; i++) {
        EXPECT_THAT(where(names[i]) == (void *)(uintptr_t)GetProcAddress(dll, names[i]),
                    "%s leads to %p", names[i], where(names[i]));
    }
    EXPECT_THAT((char *)where("CreateRemoteThreadEx") >= (char *)dll, "not to ours");
    EXPECT_EQ(where("Sleep"), sleep);
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_OK(FreeLibrary(importer));
}

/* A module that comes later and imports the functions from kernel32. */
TEST(Imports, a_module_loaded_later)
{
    HMODULE dll = LoadLibraryA("umsshim.dll"), late = LoadLibraryA("late.dll");
    BOOL (*try_ums)(void);

    ASSERT_OK(dll != NULL);
    ASSERT_OK(late != NULL);
    try_ums = (void *)(uintptr_t)GetProcAddress(late, "try_ums");
    ASSERT_OK(try_ums != NULL);
    EXPECT_OK(try_ums());
    EXPECT_OK(FreeLibrary(late));
    EXPECT_OK(FreeLibrary(dll));
}

/* A module that was bound to ntdll's names before; under Wine, whose ntdll has none of them, to functions that
 * raise an exception. */
TEST(Imports, from_ntdll)
{
    HMODULE importer = LoadLibraryA("nt_importer.dll"), dll;
    LONG (*ask_ntdll)(void);

    ASSERT_OK(importer != NULL);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    ask_ntdll = (void *)(uintptr_t)GetProcAddress(importer, "ask_ntdll");
    ASSERT_OK(ask_ntdll != NULL);
    EXPECT_EQ(ask_ntdll(), (LONG)0xC00000BB); /* STATUS_NOT_SUPPORTED: a plain thread */
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_OK(FreeLibrary(importer));
}

/* Where ntdll has the names they are led to ours, and given back; where it lacks them they are found while the
 * DLL is there. Each leads to one function, whatever case the module is asked for in. */
TEST(Imports, names_of_ntdll)
{
    static const char *const names[] = {"RtlGetCurrentUmsThread", "RtlUmsThreadYield",
                                        "NtUmsThreadYield", "RtlExecuteUmsThread"};
    enum { NAMES = sizeof names / sizeof names[0] };
    void *before[NAMES];
    HMODULE dll;

    for (int i = 0; i < NAMES; i++)
        before[i] = address("ntdll.dll", names[i]);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    for (int i = 0; i < NAMES; i++) {
        void *found = address("ntdll.dll", names[i]);

        EXPECT_THAT(found && found != before[i], "%s", names[i]);
        EXPECT_EQ(address("NTDLL", names[i]), found);
        EXPECT_EQ(address("kernel32.dll", names[i]), NULL);
    }
    EXPECT_EQ(address("ntdll.dll", "ExecuteUmsThread"), NULL);
    EXPECT_OK(FreeLibrary(dll));
    for (int i = 0; i < NAMES; i++)
        EXPECT_EQ(address("ntdll.dll", names[i]), before[i]);
}
