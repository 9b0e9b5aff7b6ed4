/* SPDX-License-Identifier: MIT
 *
 * system.c - the parts about the system: which it is, what it forbids, who else is in the process, and where
 * the functions' names lead.
 */
#include "evidence.h"
#include "tests/support/ums_calls.h"

#include <psapi.h>
#include <stdint.h>
#include <string.h>

void *function_of(const char *module, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(GetModuleHandleA(module), name);
}

const char *module_at(const void *address, char *text, size_t room)
{
    HMODULE module = NULL;

    snprintf(text, room, "private memory");
    if (GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                               GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                           address, &module))
        GetModuleFileNameA(module, text, (DWORD)room);
    return text;
}

HMODULE load_umsshim(void)
{
    char path[MAX_PATH + 16];
    HMODULE dll;

    snprintf(path, sizeof path, "%s\\umsshim.dll", evidence.folder);
    dll = LoadLibraryA(path);
    if (!dll)
        printf("umsshim.dll cannot be loaded, error %lu\n", GetLastError());
    return dll;
}

bool has_own_ums(void)
{
    BOOL(WINAPI * create)
    (void **) = function_of("kernel32.dll", "CreateUmsCompletionList");
    BOOL(WINAPI * delete)(void *) = function_of("kernel32.dll", "DeleteUmsCompletionList");
    void *list = NULL;

    if (function_of("ntdll.dll", "wine_get_version") || GetModuleHandleA("umsshim.dll"))
        return false;
    return create && delete &&create(&list) && delete (list);
}

/* ---- System and build ----------------------------------------------------------------------------- */

static void print_registry(const char *what, const char *key, const char *value)
{
    char text[256] = "";
    DWORD number = 0, bytes = sizeof text - 1, type = 0;

    if (RegGetValueA(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ | RRF_RT_REG_DWORD, &type, text,
                     &bytes)) {
        printf("%s: not told\n", what);
    } else if (type == REG_DWORD) {
        memcpy(&number, text, sizeof number);
        printf("%s: %lu\n", what, number);
    } else {
        printf("%s: %s\n", what, text);
    }
}

int part_system(void)
{
    static const char version_key[] = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    LONG(WINAPI * version)(OSVERSIONINFOW *) = function_of("ntdll.dll", "RtlGetVersion");
    const char *(*wine)(void) = function_of("ntdll.dll", "wine_get_version");
    BOOL(WINAPI * machines)
    (HANDLE, USHORT *, USHORT *) = function_of("kernel32.dll", "IsWow64Process2");
    WORD(WINAPI * groups)(void) = function_of("kernel32.dll", "GetActiveProcessorGroupCount");
    OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};
    unsigned eax = 0xD, ebx = 0, ecx = 0, edx = 0;
    USHORT process = 0, native = 0;
    SYSTEM_INFO system;

    if (version && version(&info) >= 0)
        printf("version: %lu.%lu.%lu\n", info.dwMajorVersion, info.dwMinorVersion,
               info.dwBuildNumber);
    print_registry("product", version_key, "ProductName");
    print_registry("edition", version_key, "EditionID");
    print_registry("display version", version_key, "DisplayVersion");
    print_registry("update build revision", version_key, "UBR");
    printf("wine: %s\n", wine ? wine() : "no");
    if (machines && machines(GetCurrentProcess(), &process, &native))
        printf("native machine: 0x%04x%s\n", native,
               native == 0xAA64 ? " (x64 is emulated on Arm64)" : "");
    GetSystemInfo(&system);
    printf("processors: %lu, groups: %u\n", system.dwNumberOfProcessors, groups ? groups() : 1);
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    printf("extended processor state: %u bytes, components 0x%x\n", ebx, eax);
    printf("own User-Mode Scheduling: %s\n", has_own_ums() ? "works" : "none that works");
    return PART_TOLD;
}

/* ---- What it forbids ------------------------------------------------------------------------------ */

int part_security(void)
{
    static const struct {
        int number;
        const char *name;
    } policies[] = {{0, "data execution prevention"},
                    {1, "address space layout"},
                    {2, "dynamic code prohibited"},
                    {3, "strict handle checks"},
                    {4, "window system calls disabled"},
                    {6, "extension points disabled"},
                    {7, "control flow guard"},
                    {8, "signed images only"},
                    {10, "image load"},
                    {15, "user shadow stacks"}};
    BOOL(WINAPI * get)
    (HANDLE, int, void *, SIZE_T) = function_of("kernel32.dll", "GetProcessMitigationPolicy");

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        ULONGLONG flags = 0;
        SIZE_T bytes = policies[i].number ? 4 : 8;

        if (get && get(GetCurrentProcess(), policies[i].number, &flags, bytes))
            printf("%s: %s (flags 0x%llx)\n", policies[i].name, flags & 1 ? "on" : "off", flags);
        else
            printf("%s: not told\n", policies[i].name);
    }
    print_registry("memory integrity",
                   "SYSTEM\\CurrentControlSet\\Control\\DeviceGuard\\Scenarios\\"
                   "HypervisorEnforcedCodeIntegrity",
                   "Enabled");
    print_registry("smart app control (0 off, 1 on, 2 evaluates)",
                   "SYSTEM\\CurrentControlSet\\Control\\CI\\Policy",
                   "VerifiedAndReputablePolicyState");
    return PART_TOLD;
}

int part_modules(void)
{
    char system[MAX_PATH] = "", path[MAX_PATH], own[MAX_PATH] = "";
    HMODULE modules[512];
    DWORD bytes = 0, foreign = 0;
    size_t count;

    GetSystemDirectoryA(system, sizeof system);
    GetModuleFileNameA(NULL, own, sizeof own);
    if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes)) {
        printf("the modules cannot be listed, error %lu\n", GetLastError());
        return PART_FAILED;
    }
    count = bytes / sizeof modules[0] < 512 ? bytes / sizeof modules[0] : 512;
    for (size_t i = 0; i < count; i++) {
        if (!GetModuleFileNameA(modules[i], path, sizeof path))
            continue;
        if (_strnicmp(path, system, strlen(system)) && _stricmp(path, own)) {
            printf("foreign: %s at %p\n", path, (void *)modules[i]);
            foreign++;
        }
    }
    printf("modules: %llu, foreign: %lu\n", (unsigned long long)count, foreign);
    return PART_TOLD;
}

/* ---- The names ------------------------------------------------------------------------------------ */

static const char *const ums_names[] = {UMS_CALLS(UMS_NAME)};
enum { UMS_NAMES = sizeof ums_names / sizeof ums_names[0] };

int part_names(void)
{
    static const char *const modules[] = {"kernel32.dll", "kernelbase.dll",
                                          "api-ms-win-core-ums-l1-1-0.dll"};

    LoadLibraryA(modules[2]);
    for (int m = 0; m < 3; m++) {
        void *found[UMS_NAMES];
        int there = 0, distinct = 0;

        for (int i = 0; i < UMS_NAMES; i++) {
            char where[MAX_PATH];
            bool seen = false;

            found[i] = GetModuleHandleA(modules[m]) ? function_of(modules[m], ums_names[i]) : NULL;
            for (int k = 0; k < i; k++)
                seen |= found[k] == found[i];
            there += found[i] != NULL;
            distinct += found[i] && !seen;
            if (found[i])
                printf("%s %s: %p in %s\n", modules[m], ums_names[i], found[i],
                       module_at(found[i], where, sizeof where));
        }
        printf("%s: %d of %d names, %d distinct addresses\n", modules[m], there, UMS_NAMES,
               distinct);
    }
    return PART_TOLD;
}
