/* SPDX-License-Identifier: MIT
 *
 * umsshim_target.h - the processor's macros as Windows' compiler and SDK define them. Wine's
 * headers, read later, define fewer.
 *
 * Sources test the words by #if as well as by #ifdef, so _WIN64 has a value, as Microsoft's
 * compiler gives it. _AMD64_ has none, as from the SDK's <windows.h>. _WIN32 stays undefined: by
 * that macro sources ask whether they are built for Windows, with its C library.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_TARGET_H
#define UMSSHIM_TARGET_H

#ifndef _WIN64
#define _WIN64 1
#endif
#ifndef _AMD64_
#define _AMD64_
#endif

#endif
