/* SPDX-License-Identifier: MIT
 *
 * slow.c - a DLL that takes its time to be loaded, and waits meanwhile; for loader.c.
 */
#include <windows.h>

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    if (reason == DLL_PROCESS_ATTACH || reason == DLL_PROCESS_DETACH)
        Sleep(3);
    return TRUE;
}
