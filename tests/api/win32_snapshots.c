/* SPDX-License-Identifier: MIT
 *
 * win32_snapshots.c - lists of processes, threads and modules: CreateToolhelp32Snapshot and
 * <psapi.h>.
 *
 * modes: win32
 * libraries: psapi
 * except: of_nothing
 */
#include <windows.h>

#include <psapi.h>
#include <tlhelp32.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static HANDLE const garbage = (HANDLE)0x7777770;

/* This program's name without folders. */
static const char *own_name(void)
{
    static char path[MAX_PATH];
    const char *name = path;

    EXPECT_OK(GetModuleFileNameA(NULL, path, sizeof path));
    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    return name;
}

TEST_IN_EACH_KIND(Win32Snapshots, this_process_is_among_the_processes)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32 entry = {.dwSize = sizeof entry};
    PROCESSENTRY32W wide = {.dwSize = sizeof wide};
    DWORD parent = 0;
    int found = 0;
    int count = 0;

    ASSERT_NE(snapshot, INVALID_HANDLE_VALUE);
    for (BOOL more = Process32First(snapshot, &entry); more;
         more = Process32Next(snapshot, &entry)) {
        count++;
        if (entry.th32ProcessID != GetCurrentProcessId())
            continue;
        found++;
        parent = entry.th32ParentProcessID;
        EXPECT_STREQ(entry.szExeFile, own_name());
        EXPECT_GE(entry.cntThreads, 1);
    }
    EXPECT_EQ(GetLastError(), ERROR_NO_MORE_FILES);
    EXPECT_EQ(found, 1);
    for (BOOL more = Process32FirstW(snapshot, &wide); more;
         more = Process32NextW(snapshot, &wide)) {
        count--;
        if (wide.th32ProcessID != GetCurrentProcessId())
            continue;
        EXPECT_EQ(wide.szExeFile[0], own_name()[0]);
        EXPECT_EQ(wide.th32ParentProcessID, parent);
    }
    EXPECT_EQ(count, 0); /* a snapshot stays what it is */
    EXPECT_FAILS(Thread32First(snapshot, &(THREADENTRY32){.dwSize = sizeof(THREADENTRY32)}),
                 ERROR_NO_MORE_FILES);
    EXPECT_OK(CloseHandle(snapshot));
}

TEST_IN_EACH_KIND(Win32Snapshots, the_calling_thread_is_among_the_threads)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    int found = 0;

    ASSERT_NE(snapshot, INVALID_HANDLE_VALUE);
    for (BOOL more = Thread32First(snapshot, &entry); more; more = Thread32Next(snapshot, &entry)) {
        if (entry.th32ThreadID != GetCurrentThreadId())
            continue;
        found++;
        EXPECT_EQ(entry.th32OwnerProcessID, GetCurrentProcessId());
    }
    EXPECT_EQ(GetLastError(), ERROR_NO_MORE_FILES);
    EXPECT_EQ(found, 1);
    EXPECT_FAILS(Process32First(snapshot, &(PROCESSENTRY32){.dwSize = sizeof(PROCESSENTRY32)}),
                 ERROR_NO_MORE_FILES);
    EXPECT_OK(CloseHandle(snapshot));
}

TEST_IN_EACH_KIND(Win32Snapshots, the_program_is_the_first_module)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, GetCurrentProcessId());
    MODULEENTRY32 entry = {.dwSize = sizeof entry};
    MODULEENTRY32W wide = {.dwSize = sizeof wide};
    static char path[MAX_PATH];
    bool kernel = false;

    ASSERT_NE(snapshot, INVALID_HANDLE_VALUE);
    ASSERT_OK(Module32First(snapshot, &entry));
    EXPECT_EQ(entry.hModule, GetModuleHandleA(NULL));
    EXPECT_STREQ(entry.szModule, own_name());
    GetModuleFileNameA(NULL, path, sizeof path);
    EXPECT_STREQ(entry.szExePath, path);
    EXPECT_EQ(entry.th32ProcessID, GetCurrentProcessId());
    EXPECT_THAT((BYTE *)own_name >= entry.modBaseAddr &&
                    (BYTE *)own_name < entry.modBaseAddr + entry.modBaseSize,
                "%p and %x bytes", (void *)entry.modBaseAddr, (unsigned)entry.modBaseSize);
    while (Module32Next(snapshot, &entry))
        kernel |= entry.hModule == GetModuleHandleA("kernel32");
    EXPECT_EQ(GetLastError(), ERROR_NO_MORE_FILES);
    EXPECT_OK(kernel);
    ASSERT_OK(Module32FirstW(snapshot, &wide));
    EXPECT_EQ(wide.hModule, GetModuleHandleA(NULL));
    EXPECT_EQ(wide.szModule[0], own_name()[0]);
    EXPECT_OK(Module32NextW(snapshot, &wide));
    EXPECT_OK(CloseHandle(snapshot));
}

TEST_IN_EACH_KIND(Win32Snapshots, bad_arguments)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPALL & ~(DWORD)TH32CS_SNAPHEAPLIST, 0);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    PROCESSENTRY32 process = {.dwSize = sizeof process};
    MODULEENTRY32 module = {.dwSize = sizeof module};
    THREADENTRY32 thread = {.dwSize = sizeof thread};

    ASSERT_NE(snapshot, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, 0x7ffffff0) != INVALID_HANDLE_VALUE,
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(Process32First(garbage, &process), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(Process32Next(event, &process), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(Thread32First(event, &thread), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(Module32First(event, &module), ERROR_INVALID_HANDLE);
    process.dwSize = 8;
    EXPECT_FAILS(Process32First(snapshot, &process), ERROR_INSUFFICIENT_BUFFER);
    process.dwSize = sizeof process;
    module.dwSize = 8;
    EXPECT_FAILS(Module32First(snapshot, &module), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(snapshot));
    EXPECT_FAILS(Process32Next(snapshot, &process), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Snapshots, of_nothing)
{
    EXPECT_FAILS(CreateToolhelp32Snapshot(0, 0) != INVALID_HANDLE_VALUE, ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Snapshots, ids_of_processes)
{
    enum { ROOM = 4096 };
    static DWORD ids[ROOM];
    DWORD bytes = 0;
    DWORD session = 77;
    bool found = false;

    EXPECT_OK(EnumProcesses(ids, sizeof ids, &bytes));
    for (DWORD i = 0; i < bytes / sizeof *ids; i++)
        found |= ids[i] == GetCurrentProcessId();
    EXPECT_OK(found);
    EXPECT_OK(EnumProcesses(ids, sizeof *ids, &bytes)); /* as many as there is room for */
    EXPECT_EQ(bytes, sizeof *ids);
    EXPECT_OK(ProcessIdToSessionId(GetCurrentProcessId(), &session));
    EXPECT_NE(session, 77);
    EXPECT_FAILS(ProcessIdToSessionId(0x7ffffff0, &session), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Snapshots, modules_of_this_process)
{
    HMODULE modules[256];
    MODULEINFO information;
    char name[MAX_PATH];
    char path[MAX_PATH];
    DWORD bytes = 0;

    ASSERT_OK(EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes));
    EXPECT_GE(bytes, 2 * sizeof *modules);
    EXPECT_EQ(modules[0], GetModuleHandleA(NULL));
    EXPECT_EQ(GetModuleBaseNameA(GetCurrentProcess(), modules[0], name, sizeof name),
              strlen(own_name()));
    EXPECT_STREQ(name, own_name());
    GetModuleFileNameA(NULL, path, sizeof path);
    EXPECT_EQ(GetModuleFileNameExA(GetCurrentProcess(), NULL, name, sizeof name), strlen(path));
    EXPECT_STREQ(name, path);
    ASSERT_OK(
        GetModuleInformation(GetCurrentProcess(), modules[0], &information, sizeof information));
    EXPECT_THAT((BYTE *)own_name >= (BYTE *)information.lpBaseOfDll &&
                    (BYTE *)own_name < (BYTE *)information.lpBaseOfDll + information.SizeOfImage,
                "%p and %x bytes", information.lpBaseOfDll, (unsigned)information.SizeOfImage);
    EXPECT_THAT((BYTE *)information.EntryPoint > (BYTE *)information.lpBaseOfDll, "%p",
                information.EntryPoint);
    EXPECT_FAILS(GetModuleInformation(GetCurrentProcess(), modules[0], &information, 4),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(GetModuleInformation(GetCurrentProcess(), (HMODULE)&information, &information,
                                      sizeof information),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(EnumProcessModules(garbage, modules, sizeof modules, &bytes),
                 ERROR_INVALID_HANDLE);
    EXPECT_OK(GetProcessImageFileNameA(GetCurrentProcess(), path, sizeof path));
    EXPECT_THAT(strstr(path, own_name()), "it is %s", path);
    EXPECT_FAILS(GetProcessImageFileNameA(GetCurrentProcess(), path, 3), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(GetProcessImageFileNameA(garbage, path, sizeof path), ERROR_INVALID_HANDLE);
}
