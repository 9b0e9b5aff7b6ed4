/* SPDX-License-Identifier: MIT
 *
 * winsock2.h - Winsock 2: in a native build this library's, else the next one of that name.
 *
 * Natively a source may include it before or after <windows.h> and POSIX headers.
 * umsshim_winsock_libc.h gives the names that libc has, too, Winsock's meaning. Wine's header of
 * this name is not used: it cannot stand beside <sys/select.h>.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/winsock2.h>
#elif defined(_WIN32) || defined(_MSC_VER)
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <winsock2.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WINSOCK2_H
#define UMSSHIM_WINSOCK2_H

#include <windows.h>

#include "umsshim_winsock_libc.h"
/* The order matters: first libc's headers. */
#include "umsshim_winsock_types.h"
/* The order matters: these need the types. */
#include "umsshim_winsock_calls.h"

#endif
#endif
