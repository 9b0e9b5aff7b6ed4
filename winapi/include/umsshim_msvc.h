/* SPDX-License-Identifier: MIT
 *
 * umsshim_msvc.h - the words that are part of Microsoft's compiler, as macros for gcc and clang.
 *
 * The documented flags include it before everything else (-include), because there these words need
 * no header. It has only macros, so it does no harm to any source. MinGW's headers have most of
 * these words. Of __declspec's words MinGW's compiler knows only those that are gcc's attributes.
 *
 * Most words have a second spelling with one underscore, which means the same. Wine's headers
 * define some of those as nothing unless they are defined already. So this header defines all of
 * them before Wine's.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_MSVC_H
#define UMSSHIM_MSVC_H

#if !defined(_WIN32) && __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide.h"
#endif

/* ---- Integers -------------------------------------------------------------------------------- */

#define __int8 char
#define __int16 short
#define __int32 int
#ifdef _WIN32
#define __int64 long long /* all four as in MinGW's _mingw.h, which is read later */
#else
#define __int64 long /* as in Wine's headers; int64_t is the same type */
#endif

#ifndef _WIN32

/* ---- Calling conventions: x64 has one, and a native build uses the platform's own ------------ */

#ifndef __stdcall
#define __stdcall
#endif
#ifndef __cdecl
#define __cdecl
#endif
#ifndef __fastcall
#define __fastcall
#endif
#ifndef __thiscall
#define __thiscall
#endif
#define __vectorcall
#define __clrcall

/* ---- The processor --------------------------------------------------------------------------- */

#define _M_X64 100
#define _M_AMD64 100

#endif

/* ---- Qualifiers that say nothing here -------------------------------------------------------- */

#define __unaligned
#define __ptr32
#define __ptr64
#define __w64
#define __sptr
#define __uptr
#define __single_inheritance
#define __multiple_inheritance
#define __virtual_inheritance

/* ---- Words that cannot work here: using one is an error ------------------------------------- */

#define UMSSHIM_NO_ASM                                                                             \
    _Pragma("GCC error \"inline assembly in Microsoft's manner needs Microsoft's compiler\"")
#define UMSSHIM_NO_BASED _Pragma("GCC error \"based pointers need Microsoft's compiler\"")
#define UMSSHIM_NO_DECLSPEC_ALLOCATE _Pragma("GCC error \"declspec(allocate) is not supported\"")
#define UMSSHIM_NO_DECLSPEC_NAKED _Pragma("GCC error \"declspec(naked) is not supported\"")
#define UMSSHIM_NO_DECLSPEC_PROPERTY _Pragma("GCC error \"declspec(property) is not supported\"")
#define UMSSHIM_NO_SEH                                                                             \
    _Pragma("GCC error \"structured exceptions are Microsoft's: see AddVectoredExceptionHandler\"")
#define __based(...) UMSSHIM_NO_BASED
#ifndef _WIN32 /* MinGW's headers use the words */
#ifndef __cplusplus
#define __try UMSSHIM_NO_SEH
#endif /* in C++ the word belongs to libstdc++ */
/* clang-format takes the name for a statement and would set it apart from its parameters. */
/* clang-format off */
#define __except(...) UMSSHIM_NO_SEH if (0)
/* clang-format on */
#define __finally UMSSHIM_NO_SEH
#define __leave UMSSHIM_NO_SEH
#endif

/* ---- Inlining, hints, pragmas ---------------------------------------------------------------- */

#ifndef _WIN32 /* MinGW's headers need theirs; windows.h replaces it after them */
#define __forceinline __inline__ __attribute__((__always_inline__))
#endif
#ifndef __assume
#define __assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#ifndef __noop
#define __noop(...) ((void)0)
#endif
#ifndef __pragma
#define __pragma(...)
#endif
#ifndef __interface
#define __interface struct
#endif

/* ---- __declspec ------------------------------------------------------------------------------ */

/* Each word becomes the text within the double brackets of gcc's attribute. `thread` is a storage
 * class, so it closes the brackets first. So do words that cannot work here: they end in an error
 * that names them. Unlike Microsoft's, __declspec(align(n)) before the word struct aligns the
 * declared objects and typedefs, not the type. After struct it means the type to both compilers. */
#undef __declspec
#define __declspec(word) __attribute__((UMSSHIM_DECLSPEC_##word))
#define UMSSHIM_DECLSPEC_align(bytes) __aligned__(bytes)
#define UMSSHIM_DECLSPEC_allocator
#define UMSSHIM_DECLSPEC_deprecated __deprecated__
#ifdef _WIN32
#define UMSSHIM_DECLSPEC_address_safe
#define UMSSHIM_DECLSPEC_dllexport __dllexport__
#define UMSSHIM_DECLSPEC_dllimport __dllimport__
#define UMSSHIM_DECLSPEC_selectany __selectany__
#else
#define UMSSHIM_DECLSPEC_dllexport __visibility__("default")
#define UMSSHIM_DECLSPEC_dllimport
#define UMSSHIM_DECLSPEC_selectany __weak__
#endif
#define UMSSHIM_DECLSPEC_empty_bases
#define UMSSHIM_DECLSPEC_noalias
#define UMSSHIM_DECLSPEC_noinline __noinline__
#define UMSSHIM_DECLSPEC_noreturn __noreturn__
#define UMSSHIM_DECLSPEC_nothrow __nothrow__
#define UMSSHIM_DECLSPEC_novtable
#define UMSSHIM_DECLSPEC_restrict __malloc__
#define UMSSHIM_DECLSPEC_safebuffers
#define UMSSHIM_DECLSPEC_spectre(word)
#define UMSSHIM_DECLSPEC_uuid(text)
#ifdef __cplusplus
#define UMSSHIM_DECLSPEC_thread )) thread_local __attribute__((
#else
#define UMSSHIM_DECLSPEC_thread )) _Thread_local __attribute__((
#endif
#define UMSSHIM_DECLSPEC_allocate(segment) )) UMSSHIM_NO_DECLSPEC_ALLOCATE __attribute__((
#define UMSSHIM_DECLSPEC_naked )) UMSSHIM_NO_DECLSPEC_NAKED __attribute__((
#define UMSSHIM_DECLSPEC_property(...) )) UMSSHIM_NO_DECLSPEC_PROPERTY __attribute__((

/* ---- The same with one underscore ------------------------------------------------------------ */

#ifndef _WIN32 /* MinGW's compiler has these four */
#define _stdcall __stdcall
#define _cdecl __cdecl
#define _fastcall __fastcall
#define _thiscall __thiscall
#define _vectorcall __vectorcall
#endif
#define _alignof __alignof__
#define _asm UMSSHIM_NO_ASM /* __asm is gcc's own word for its own assembly */
#define _assume(condition) __assume(condition)
#define _based(...) UMSSHIM_NO_BASED
#define _declspec(word) __declspec(word)
#define _except(...) UMSSHIM_NO_SEH if (0)
#define _finally UMSSHIM_NO_SEH
#define _forceinline __forceinline
#define _inline __inline
#define _int8 __int8
#define _int16 __int16
#define _int32 __int32
#define _int64 __int64
#define _leave UMSSHIM_NO_SEH
#define _multiple_inheritance __multiple_inheritance
#define _ptr32 __ptr32
#define _ptr64 __ptr64
#define _restrict __restrict
#define _single_inheritance __single_inheritance
#define _sptr __sptr
#define _try UMSSHIM_NO_SEH
#define _unaligned __unaligned
#define _uptr __uptr
#define _uuidof(type) __uuidof(type)
#define _virtual_inheritance __virtual_inheritance
#define _w64 __w64

#endif
