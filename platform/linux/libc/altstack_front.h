/* SPDX-License-Identifier: MIT
 *
 * altstack_front.h - the alternate stack of a worker or scheduler.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_ALTSTACK_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_ALTSTACK_FRONT_H

#include <signal.h>
#include <stdint.h>

/* Does for the calling UMS thread what sigaltstack does, called with stack pointer `here`: 0 or
 * -errno. */
long altstack_change(const stack_t *stack, stack_t *old, uintptr_t here);

#endif
