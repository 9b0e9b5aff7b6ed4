/* SPDX-License-Identifier: MIT
 *
 * memoryapi.h - the installed memoryapi.h. Wine's cannot be included twice, so this header has a
 * guard.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/memoryapi.h>
#elif defined(_MSC_VER)
#include_next <memoryapi.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <memoryapi.h>
#elif !defined(UMSSHIM_MEMORYAPI_H)
#define UMSSHIM_MEMORYAPI_H
#include_next <memoryapi.h>
#endif
#endif /* _MSC_VER */
