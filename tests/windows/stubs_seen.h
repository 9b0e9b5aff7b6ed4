/* SPDX-License-Identifier: MIT
 *
 * stubs_seen.h - what a program that is not linked with umsshim.dll sees of it: names, and the bytes of ntdll's stubs.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_STUBS_SEEN_H
#define UMSSHIM_TESTS_WINDOWS_STUBS_SEEN_H

#include <windows.h>

#include <stdint.h>
#include <string.h>

enum { STUB_BYTES = 24, LIMIT_MS = 5000 };

static const char *const stubs[] = {"NtWaitForSingleObject", "NtDelayExecution", "NtReadFile",
                                    "NtTerminateThread", "NtWaitForAlertByThreadId"};
enum { STUBS = sizeof stubs / sizeof stubs[0] };

/* Not inlined: a compiler keeps what an import leads to, and the DLL changes that of GetProcAddress. */
static __attribute__((noinline, unused)) void *address(const char *module, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(GetModuleHandleA(module), name);
}

static inline void read_stubs(unsigned char (*bytes)[STUB_BYTES])
{
    for (int i = 0; i < STUBS; i++)
        memcpy(bytes[i], address("ntdll.dll", stubs[i]), STUB_BYTES);
}

static inline int changed(unsigned char (*before)[STUB_BYTES])
{
    int count = 0;

    for (int i = 0; i < STUBS; i++)
        count += memcmp(before[i], address("ntdll.dll", stubs[i]), STUB_BYTES) != 0;
    return count;
}

/* A UMS call, by the name an old program would use. */
static inline BOOL create_list(void)
{
    BOOL(WINAPI * create)
    (PUMS_COMPLETION_LIST *) = address("kernel32.dll", "CreateUmsCompletionList");
    PUMS_COMPLETION_LIST list;

    return create && create(&list);
}

#endif
