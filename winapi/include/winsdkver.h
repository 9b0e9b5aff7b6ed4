/* SPDX-License-Identifier: MIT
 *
 * winsdkver.h - the newest version that the headers know of; Windows 10 was the last with UMS.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#if __has_include(<../um/winsdkver.h>)
#include <../um/winsdkver.h>
#else
#include <../shared/winsdkver.h>
#endif
#elif defined(_MSC_VER)
#include_next <winsdkver.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <winsdkver.h>
#else
#ifndef _WIN32_MAXVER
#define _WIN32_MAXVER 0x0A00
#endif
#ifndef _WIN32_WINNT_MAXVER
#define _WIN32_WINNT_MAXVER 0x0A00
#endif
#ifndef WINVER_MAXVER
#define WINVER_MAXVER 0x0A00
#endif
#endif
#endif /* _MSC_VER */
