/* SPDX-License-Identifier: MIT
 *
 * winsock.h - Winsock 1.1, which is a part of Winsock 2: natively the same header.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/winsock.h>
#elif defined(_WIN32) || defined(_MSC_VER)
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <winsock.h>
#else
#include <winsock2.h>
#endif
