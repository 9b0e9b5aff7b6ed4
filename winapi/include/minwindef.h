/* SPDX-License-Identifier: MIT
 *
 * minwindef.h - the basic types; natively they are <windef.h>'s.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../shared/minwindef.h>
#elif defined(_MSC_VER)
#include_next <minwindef.h>
#else
#if defined(_WIN32)
#include_next <minwindef.h>
#else
#include <windef.h>
#endif
#endif /* _MSC_VER */
