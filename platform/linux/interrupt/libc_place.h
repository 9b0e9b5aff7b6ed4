/* SPDX-License-Identifier: MIT
 *
 * libc_place.h - whether a thread that is to end may hold a lock of libc's where a signal found it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_LIBC_PLACE_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_LIBC_PLACE_H

#include <stdbool.h>
#include <ucontext.h>

/* True: the thread is in libc. False also if it waits in a system call of libc's, or is on the way
 * out of a function that only makes one. */
bool busy_in_libc(const ucontext_t *interrupted);

#endif
