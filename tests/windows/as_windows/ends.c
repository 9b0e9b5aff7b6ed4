/* SPDX-License-Identifier: MIT
 *
 * ends.c - the system ends all other threads of a process that ends itself, and gives back their stacks. So
 * whoever ends the process must stand on the stack of its own kernel thread.
 */
#include "as_windows.h"

#include <stdint.h>

static NTSTATUS(NTAPI *terminate)(HANDLE, NTSTATUS);

static NTSTATUS NTAPI on_terminate(HANDLE process, NTSTATUS status)
{
    uint64_t id, kernel;

    __asm__ volatile("movq %%gs:0x48, %0\n\tmovq %%gs:0x7e0, %1" : "=r"(id), "=r"(kernel));
    if (!process && id != kernel)
        as_windows_ends("the process is ended on the stack of another thread, which ends", "");
    return terminate(process, status);
}

void ends_start(void)
{
    terminate = stub_lead(GetModuleHandleW(L"ntdll.dll"), "NtTerminateProcess", on_terminate);
    if (!terminate)
        as_windows_ends("a stub is not the usual", "");
}
