/* SPDX-License-Identifier: MIT
 *
 * The installed <windef.h>, with the platform's own calling convention in native builds.
 *
 * Wine's gives WINAPI, CALLBACK and their kin the Microsoft convention (attribute ms_abi) and
 * undoes definitions of the command line. UMS sources are for x64, where Windows has one
 * convention, and often do not name it on callbacks. So this header empties the words: then they
 * mean the platform's convention.
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
#ifdef __cplusplus /* whatever NOMINMAX says: for Windows libstdc++ defines it itself */
#include "umsshim_minmax.h"
#endif
#elif !defined(UMSSHIM_WINDEF_H)
#define UMSSHIM_WINDEF_H

#include <sdkddkver.h>

#include "umsshim_msvc.h"
#include "umsshim_target.h"
/* Wine's definitions would hide the imports from the linker. Wine 8 defines one by the other. */
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
#define ms_abi sysv_abi /* for Wine's typedefs, which name it */
/* Wine's is inline and reads the GS register. umsshim_win32.h declares the library's function. */
#define NtCurrentTeb umsshim_no_teb_at_gs
#include_next <windef.h>
#undef NtCurrentTeb
#undef ms_abi
#undef __ms_va_list /* Wine 10 has defined it here */
#define __ms_va_list va_list
#undef __stdcall
#undef __cdecl
#undef __fastcall
#undef __thiscall
#define __stdcall
#define __cdecl
#define __fastcall
#define __thiscall

/* In C++ Wine's NULL is an int, which in a variable argument list is only half a pointer. */
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
