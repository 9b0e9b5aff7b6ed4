/* SPDX-License-Identifier: MIT
 *
 * signal_stack.h - stacks for signals of faults and of the filter's traps: libc/signal_frame.h says
 * which handler runs on which stack.
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

/* The calling carrier's own stack, which is free below `top` while a context is loaded, is its
 * alternate stack from now on. */
void signal_stack_of_carrier(void *top);

/* The same for a thread that is to carry workers itself, if it has no alternate stack: memory to
 * give to fault_stack_end; NULL: none was made. */
void *fault_stack_begin(void);
void fault_stack_end(void *memory);

/* A worker's stack for trapped calls that come from a stack without room. */
enum { CALL_STACK_BYTES = 256 << 10 };
/* The lowest address of the calling thread's, which is made if there is none; 0: there is no
 * memory. */
uintptr_t call_stack(void);
/* The calling thread makes no more calls on it. */
void call_stack_end(void);

#endif
