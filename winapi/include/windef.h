/* SPDX-License-Identifier: MIT
 *
 * The installed <windef.h>, with the platform's own calling convention in native builds.
 *
 * Wine's makes WINAPI, CALLBACK and their kin the Microsoft convention (attribute ms_abi) and
 * undoes definitions given on the command line. UMS sources are x64, where Windows has one
 * convention, and are sloppy about naming it on callbacks; with the words emptied they mean the
 * platform's.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../shared/windef.h>
#elif defined(_MSC_VER)
#include_next <windef.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <windef.h>
#ifdef __cplusplus /* whatever NOMINMAX says: there libstdc++ defines it itself */
#include "umsshim_minmax.h"
#endif
#elif !defined(UMSSHIM_WINDEF_H)
#define UMSSHIM_WINDEF_H

#include <sdkddkver.h>

#include "umsshim_msvc.h"
#include "umsshim_target.h"
/* Wine's hide the imports from the linker. Wine 8 defines the one by the other. */
#ifndef DECLSPEC_HIDDEN
#define DECLSPEC_HIDDEN
#endif
#ifndef DECLSPEC_IMPORT
#define DECLSPEC_IMPORT
#endif
#if __SIZEOF_WCHAR_T__ == 2
#define WINE_UNICODE_NATIVE /* -fshort-wchar: WCHAR is wchar_t, L"" is a string of them */
#endif
#if defined(__cplusplus) && !defined(NOMINMAX)
#define NOMINMAX /* min and max come from umsshim_minmax.h, as templates */
#define UMSSHIM_WANTS_MINMAX
#endif

#include <stdarg.h>
#define __ms_va_list va_list
#define ms_abi sysv_abi /* for the typedefs inside */
/* Wine's is inline and reads the GS register; umsshim_win32.h declares the library's. */
#define NtCurrentTeb umsshim_no_teb_at_gs
#include_next <windef.h>
#undef NtCurrentTeb
#undef ms_abi
#undef __ms_va_list /* Wine 10 has one of its own here */
#define __ms_va_list va_list
#undef __stdcall
#undef __cdecl
#undef __fastcall
#undef __thiscall
#define __stdcall
#define __cdecl
#define __fastcall
#define __thiscall

/* Wine's NULL is an int in C++, which is half a pointer in an argument list of open end. */
#undef NULL
#define __need_NULL
#include <stddef.h>

#ifdef UMSSHIM_WANTS_MINMAX
#undef NOMINMAX
#include "umsshim_minmax.h"
#endif
#include "umsshim_interlocked.h"
#endif
#endif /* _MSC_VER */
