/* SPDX-License-Identifier: MIT
 *
 * basetsd.h - the installed basetsd.h, after the processor's macros that it tests.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../shared/basetsd.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#if !defined(_MSC_VER) && !defined(_WIN32)
#include "umsshim_target.h"
#endif
#include_next <basetsd.h>
#endif
