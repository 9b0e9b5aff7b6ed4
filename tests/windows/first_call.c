/* SPDX-License-Identifier: MIT
 *
 * first_call.c - a DLL that has a function of its program's called while it is loaded: for
 * loader_calls.c.
 */
#include <windows.h>

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    BOOL(*call)
    (void) = (BOOL(*)(void))(void *)GetProcAddress(GetModuleHandleW(NULL), "call_while_loading");

    return reason != DLL_PROCESS_ATTACH || (call && call());
}
