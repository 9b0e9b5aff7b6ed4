/* SPDX-License-Identifier: MIT
 *
 * host_windows.c - host.h on Windows.
 */
#include "host.h"

#include <windows.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 4096 };

/* The version that manifests do not hide. */
static RTL_OSVERSIONINFOW version(void)
{
    RTL_OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};
    LONG(WINAPI * get)(RTL_OSVERSIONINFOW *);

    get = (void *)(ULONG_PTR)GetProcAddress(GetModuleHandleA("ntdll"), "RtlGetVersion");
    if (get)
        get(&info);
    return info;
}

static const char *wine_version(void)
{
    const char *(*get)(void);

    get = (void *)(ULONG_PTR)GetProcAddress(GetModuleHandleA("ntdll"), "wine_get_version");
    return get ? get() : NULL;
}

void host_system(char *text, size_t size)
{
    RTL_OSVERSIONINFOW info = version();
    const char *wine = wine_version();
    SYSTEM_INFO machine;

    GetSystemInfo(&machine);
    snprintf(text, size, "Windows %lu.%lu.%lu%s%s, %lu processors",
             (unsigned long)info.dwMajorVersion, (unsigned long)info.dwMinorVersion,
             (unsigned long)info.dwBuildNumber, wine ? " by Wine " : "", wine ? wine : "",
             (unsigned long)machine.dwNumberOfProcessors);
}

/* By effect: kernel32's functions work, and it is not umsshim.dll to which they lead. */
static bool own_ums_works(void)
{
    HMODULE kernel32 = GetModuleHandleA("kernel32");
    BOOL(WINAPI * create)
    (void **) = (void *)(ULONG_PTR)GetProcAddress(kernel32, "CreateUmsCompletionList");
    BOOL(WINAPI * delete)
    (void *) = (void *)(ULONG_PTR)GetProcAddress(kernel32, "DeleteUmsCompletionList");
    void *list = NULL;

    if (wine_version() || GetModuleHandleA("umsshim.dll"))
        return false;
    return create && delete &&create(&list) && delete (list);
}

bool host_is_oracle(void)
{
    static int known;
    DWORD error = GetLastError();

    if (!known)
        known = own_ums_works() ? 1 : -1;
    SetLastError(error);
    return known > 0;
}

void host_scratch_path(char *path, size_t size, const char *suffix)
{
    char folder[MAX_PATH + 1] = ".\\";

    GetTempPathA(sizeof folder, folder);
    snprintf(path, size, "%sums_conformance.%lu%s", folder, (unsigned long)GetCurrentProcessId(),
             suffix);
}

/* Each argument in quotation marks; none of ours has one, or ends in a backslash. */
static bool make_line(char *line, size_t size, const char *program, char *const argv[])
{
    size_t used =
        (size_t)snprintf(line, size, "%s%s%s\"%s\"", host_launcher ? "\"" : "",
                         host_launcher ? host_launcher : "", host_launcher ? "\" " : "", program);

    for (int i = 1; argv[i] && used < size; i++)
        used += (size_t)snprintf(line + used, size - used, " \"%s\"", argv[i]);
    return used < size;
}

bool host_start(struct host_child *child, char *const argv[], const char *setting)
{
    char line[LINE_SIZE], program[MAX_PATH], name[64] = "";
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    BOOL started;

    if (!GetModuleFileNameA(NULL, program, sizeof program) ||
        !make_line(line, sizeof line, program, argv))
        return false;
    if (setting) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
        SetEnvironmentVariableA(name, setting + strlen(name) + 1);
    }
    started = CreateProcessA(host_launcher ? NULL : program, line, NULL, NULL, TRUE, 0, NULL, NULL,
                             &startup, &process);
    if (setting)
        SetEnvironmentVariableA(name, NULL);
    if (started) {
        CloseHandle(process.hThread);
        child->handle = process.hProcess;
    }
    return started != 0;
}

bool host_wait(struct host_child *child, unsigned milliseconds, int *status, bool *crashed)
{
    DWORD code = 0;

    if (WaitForSingleObject(child->handle, milliseconds) != WAIT_OBJECT_0)
        return false;
    GetExitCodeProcess(child->handle, &code);
    CloseHandle(child->handle);
    *status = (int)code;
    *crashed = code >= 0x80000000u; /* an exception's code */
    return true;
}

void host_end(struct host_child *child)
{
    TerminateProcess(child->handle, 1);
    WaitForSingleObject(child->handle, INFINITE);
    CloseHandle(child->handle);
}

/* rsp is kept in r12, which the call must preserve, too. */
int host_registers_changed(void (*call)(void), unsigned base)
{
    uint64_t changed, pattern = base;

    __asm__ volatile("movq %%rsp, %%r12\n\t"
                     "subq $64, %%rsp\n\t"
                     "andq $-16, %%rsp\n\t"
                     "movq %%rdx, 40(%%rsp)\n\t"
                     "leaq 0x1bbb(%%rdx), %%rbx\n\t"
                     "leaq 0x1511(%%rdx), %%rsi\n\t"
                     "leaq 0x1d11(%%rdx), %%rdi\n\t"
                     "leaq 0x1ddd(%%rdx), %%r13\n\t"
                     "leaq 0x1eee(%%rdx), %%r14\n\t"
                     "leaq 0x1fff(%%rdx), %%r15\n\t"
                     "movq %%rbx, %%xmm6\n\t"
                     "movq %%r15, %%xmm15\n\t"
                     "call *%%rax\n\t"
                     "movq 40(%%rsp), %%r9\n\t"
                     "movq %%r12, %%rsp\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "xorl %%ecx, %%ecx\n\t"
                     "leaq 0x1bbb(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rbx\n\t"
                     "setne %%al\n\t"
                     "leaq 0x1511(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rsi\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1d11(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rdi\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1ddd(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r13\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1eee(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r14\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1fff(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r15\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "movq %%xmm6, %%rdx\n\t"
                     "leaq 0x1bbb(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rdx\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "movq %%xmm15, %%rdx\n\t"
                     "leaq 0x1fff(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rdx\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     : "=a"(changed), "+d"(pattern)
                     : "a"(call)
                     : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
                       "memory");
    return (int)changed;
}
