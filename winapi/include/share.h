/* SPDX-License-Identifier: MIT
 *
 * share.h - the share modes of _fsopen and _sopen, without effect: Linux shares every file.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/share.h>
#elif defined(_MSC_VER)
#include_next <share.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <share.h>
#elif !defined(UMSSHIM_SHARE_H)
#define UMSSHIM_SHARE_H

#define _SH_COMPAT 0x00
#define _SH_DENYRW 0x10
#define _SH_DENYWR 0x20
#define _SH_DENYRD 0x30
#define _SH_DENYNO 0x40
#define _SH_SECURE 0x80

#endif
#endif /* _MSC_VER */
