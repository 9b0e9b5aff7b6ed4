/* SPDX-License-Identifier: MIT
 *
 * The installed <windef.h>, with the platform's own calling convention in native builds.
 *
 * Wine's makes WINAPI, CALLBACK and their kin the Microsoft convention (attribute ms_abi) and undoes
 * definitions given on the command line. UMS sources are x64, where Windows has one convention, and
 * are sloppy about naming it on callbacks; with the words emptied they mean the platform's.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <windef.h>
#elif !defined(UMSSHIM_WINDEF_H)
#define UMSSHIM_WINDEF_H
#define ms_abi sysv_abi /* for the typedefs inside */
#include_next <windef.h>
#undef ms_abi
#undef __stdcall
#undef __cdecl
#undef __fastcall
#undef __thiscall
#define __stdcall
#define __cdecl
#define __fastcall
#define __thiscall
#endif
