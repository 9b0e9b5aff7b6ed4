/* SPDX-License-Identifier: MIT
 *
 * children.h - CreateProcess for programs whose children get UMS, too (umsrun --children).
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_CHILDREN_H
#define UMSSHIM_WINAPI_WINDOWS_CHILDREN_H

#include <windows.h>

BOOL WINAPI umsshim_CreateProcessA(LPCSTR program, LPSTR command, LPSECURITY_ATTRIBUTES process,
                                   LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                   LPVOID environment, LPCSTR folder, LPSTARTUPINFOA startup,
                                   LPPROCESS_INFORMATION information);
BOOL WINAPI umsshim_CreateProcessW(LPCWSTR program, LPWSTR command, LPSECURITY_ATTRIBUTES process,
                                   LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                   LPVOID environment, LPCWSTR folder, LPSTARTUPINFOW startup,
                                   LPPROCESS_INFORMATION information);

#endif
