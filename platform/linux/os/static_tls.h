/* SPDX-License-Identifier: MIT
 *
 * static_tls.h - how much of a thread's stack libc takes for itself.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_STATIC_TLS_H
#define UMSSHIM_PLATFORM_LINUX_OS_STATIC_TLS_H

#include <stddef.h>

size_t static_tls_bytes(void);
/* The dynamic linker's number: the control block and all variables with their surplus; 0: it tells
 * nothing. */
size_t static_tls_told(void);

#endif
