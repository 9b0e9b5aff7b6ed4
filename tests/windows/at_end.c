/* SPDX-License-Identifier: MIT
 *
 * at_end.c - a DLL that looks, when the process ends, at the thread that ends it: its TEB and its stack
 * must be its own, for those of all other threads are gone. If not, the exit code says so.
 */
#include "at_end.h"

#include <stdint.h>

static uint64_t teb(unsigned offset)
{
    uint64_t value;

    __asm__ volatile("movq %%gs:(%1), %0" : "=r"(value) : "r"((uint64_t)offset));
    return value;
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID process_ends);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID process_ends)
{
    enum { KERNEL_ID = 0x7e0, STACK_BASE = 0x08, STACK_BOTTOM = 0x1478, SELF = 0x30 };
    enum { STRING_BUFFER = 0x1260, STRING = 0x1268 };
    uint64_t here = (uint64_t)(uintptr_t)&module;

    if (reason != DLL_PROCESS_DETACH || !process_ends)
        return TRUE;
    if (teb(KERNEL_ID) != GetCurrentThreadId())
        TerminateProcess(GetCurrentProcess(), AT_END_OTHER_THREAD);
    if (here >= teb(STACK_BASE) || here < teb(STACK_BOTTOM) ||
        teb(STRING_BUFFER) != teb(SELF) + STRING)
        TerminateProcess(GetCurrentProcess(), AT_END_OTHER_STACK);
    return TRUE;
}
