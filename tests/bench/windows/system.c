/* SPDX-License-Identifier: MIT
 *
 * system.c - clock, end, limit and pinning for the probes on Windows.
 */
#include "bench.h"

#include <windows.h>

#include <stdio.h>

uint64_t bench_now_ns(void)
{
    static LARGE_INTEGER frequency;
    LARGE_INTEGER count;

    if (!frequency.QuadPart)
        QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (uint64_t)((double)count.QuadPart * 1e9 / (double)frequency.QuadPart);
}

void bench_end(int status)
{
    for (;;) /* the compiler does not know that it never returns */
        TerminateProcess(GetCurrentProcess(), (UINT)status);
}

static DWORD WINAPI end_late(LPVOID seconds)
{
    Sleep((DWORD)(ULONG_PTR)seconds * 1000);
    fprintf(stderr, "bench: not done after %u s\n", (unsigned)(ULONG_PTR)seconds);
    bench_end(1);
}

void bench_limit(unsigned seconds)
{
    HANDLE thread = CreateThread(NULL, 0, end_late, (LPVOID)(ULONG_PTR)seconds, 0, NULL);

    if (!thread)
        bench_fail("CreateThread", 0);
    CloseHandle(thread);
}

static DWORD_PTR may_use(void)
{
    DWORD_PTR ours, all;

    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
        bench_fail("GetProcessAffinityMask", 0);
    return ours;
}

void bench_pin_one_core(void)
{
    if (!SetProcessAffinityMask(GetCurrentProcess(),
                                (DWORD_PTR)1 << (63 - __builtin_clzll(may_use()))))
        bench_fail("SetProcessAffinityMask", 0);
}

unsigned bench_processors(void)
{
    return (unsigned)__builtin_popcountll(may_use());
}

void bench_pin_thread(unsigned which)
{
    DWORD_PTR left = may_use();

    while (which-- > 0)
        left &= left - 1;
    if (!SetThreadAffinityMask(GetCurrentThread(), left & -left))
        bench_fail("SetThreadAffinityMask", 0);
}

uint64_t bench_processor_ns(void)
{
    FILETIME born, died, kernel, user;

    if (!GetProcessTimes(GetCurrentProcess(), &born, &died, &kernel, &user))
        bench_fail("GetProcessTimes", 0);
    return 100 * (((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                  ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime));
}
