/* SPDX-License-Identifier: MIT
 *
 * dotnet_stand_in.c - a DLL that has the name of a .NET runtime, and notes on which kernel thread
 * it was loaded.
 */
#include <windows.h>

#include <stdint.h>

__declspec(dllexport) DWORD loaded_on(void);
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

static DWORD thread;

DWORD loaded_on(void)
{
    return thread;
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    uint64_t id;

    __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(id)); /* RealClientId */
    if (reason == DLL_PROCESS_ATTACH)
        thread = (DWORD)id;
    return TRUE;
}
