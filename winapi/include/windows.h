/* SPDX-License-Identifier: MIT
 *
 * The installed <windows.h> (Wine's natively, MinGW's in a cross build) plus declarations that it
 * lacks: the UMS functions, and natively the compiler's intrinsics and some of Win32's.
 *
 * A source gets them by <windows.h> alone. This header has no include guard: the installed one has
 * one, and include_next must reach it.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifdef _MSC_VER /* Microsoft's compilers and clang-cl: see umsshim_sdk.h */
#include "umsshim_sdk.h"
#else
/* A member of FILE_DISPOSITION_INFO is called DeleteFile, as a function. The program gets that name
 * as a macro after Wine's structure. So the structure gets the same macro here. */
#if !defined(_WIN32) && !defined(DeleteFile)
#ifdef UNICODE
#define DeleteFile DeleteFileW
#else
#define DeleteFile DeleteFileA
#endif
#endif

/* Without WIN32_LEAN_AND_MEAN Wine's windows.h includes winsock.h, which is this library's. That
 * would take the names of libc's sockets from a program that has not asked for Winsock. */
#if !defined(_WIN32) && !defined(_WINSOCKAPI_)
#define _WINSOCKAPI_
#include_next <windows.h>
#undef _WINSOCKAPI_
#else
#include_next <windows.h>
#endif

#include "umsshim.h"
#include "umsshim_interlocked.h"
#include "umsshim_win32.h"
#ifndef _WIN32
#include "umsshim_intrinsics.h"
#else
#include <sal.h>
#ifndef __cplusplus
/* In C, MinGW's __forceinline has an `extern` in it, and no `static` can stand before that. MinGW's
 * own headers need the `extern` for functions that they have declared before. All of those headers
 * are read above, and time.h is read here; so the word is defined anew after them. */
#include <time.h>
#undef __forceinline
#define __forceinline __inline__ __attribute__((__always_inline__))
#endif
#endif
#endif /* _MSC_VER */
