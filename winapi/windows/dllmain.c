/* SPDX-License-Identifier: MIT
 *
 * dllmain.c - what happens when the DLL comes, goes, and when a thread ends.
 */
#include "winapi/windows/surface.h"

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    (void)module, (void)reason, (void)reserved;
    return TRUE;
}
