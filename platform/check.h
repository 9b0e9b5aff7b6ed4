/* SPDX-License-Identifier: MIT
 *
 * check.h - checks that cost nothing in a release build and end a build with UMSSHIM_CHECKS at the
 * first one that fails.
 */
#ifndef UMSSHIM_PLATFORM_CHECK_H
#define UMSSHIM_PLATFORM_CHECK_H

#include "platform/platform.h"

/* In every build: for a state that must never be and that the process cannot survive. */
#define UMS_FATAL(what, a, b) plat_fatal(__FILE__, __LINE__, what, (uintptr_t)(a), (uintptr_t)(b))

#ifdef UMSSHIM_CHECKS
#define UMS_CHECK(cond, a, b) ((cond) ? (void)0 : UMS_FATAL(#cond, a, b))
#else
#define UMS_CHECK(cond, a, b) ((void)0)
#endif

#define UMS_LIKELY(x) __builtin_expect(!!(x), 1)
#define UMS_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
