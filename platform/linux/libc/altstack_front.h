/* SPDX-License-Identifier: MIT
 *
 * altstack_front.h - the alternate stack of a worker or scheduler.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_ALTSTACK_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_ALTSTACK_FRONT_H

#include <signal.h>
#include <stdint.h>

/* The calling UMS thread's, as sigaltstack has it, which is called at this stack pointer: 0 or
 * -errno. */
long altstack_change(const stack_t *stack, stack_t *old, uintptr_t here);

#endif
