/* SPDX-License-Identifier: MIT
 *
 * signal_stack.h - stacks for the signals of faults and of traps. libc/signal_frame.h says which
 * handler runs on which stack.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_STACK_H
#define UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* An alternate stack that is switched off has no size. */
static inline bool stack_holds(const stack_t *stack, uintptr_t pointer)
{
    return pointer - (uintptr_t)stack->ss_sp - 1 < stack->ss_size;
}

/* Makes the calling carrier's own stack its alternate stack from now on. It is free below `top`
 * while a context is loaded. */
void signal_stack_of_carrier(void *top);

/* The same for a thread that will carry workers itself, if it has no alternate stack. Returns
 * memory for fault_stack_end; NULL: none was made. */
void *fault_stack_begin(void);
void fault_stack_end(void *memory);

/* A worker's stack for trapped calls that come from a stack without room. */
enum { CALL_STACK_BYTES = 256 << 10 };
/* The lowest address of the calling thread's such stack, which this makes if there is none; 0: no
 * memory. */
uintptr_t call_stack(void);
/* Frees it: the calling thread makes no more calls on it. */
void call_stack_end(void);

#endif
