/* SPDX-License-Identifier: MIT
 *
 * libc_place.h - whether a thread that is to end may hold a lock of libc's where a signal found it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_LIBC_PLACE_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_LIBC_PLACE_H

#include <stdbool.h>
#include <ucontext.h>

/* It is in libc, and neither in a system call that it waits in nor on the way out of a function
 * that does nothing but make one. */
bool busy_in_libc(const ucontext_t *interrupted);

#endif
