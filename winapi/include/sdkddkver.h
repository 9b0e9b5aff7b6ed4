/* SPDX-License-Identifier: MIT
 *
 * sdkddkver.h - the versions of Windows by number. A source that names none gets Windows 10, the
 * last with UMS.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../shared/sdkddkver.h>
#elif defined(_MSC_VER)
#include_next <sdkddkver.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef _WIN32
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif
#ifndef WINVER
#define WINVER _WIN32_WINNT
#endif
#endif
#include_next <sdkddkver.h>
#endif /* _MSC_VER */
