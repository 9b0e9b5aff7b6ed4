/* SPDX-License-Identifier: MIT
 *
 * context.h - a stack and where it was left: what the user ground needs of the system.
 */
#ifndef FASTTHREADS_CONTEXT_H
#define FASTTHREADS_CONTEXT_H

#include <windows.h>

struct context {
    void *position; /* where the stack was left; on Windows the fiber */
    void *stack;
};

/* A stack whose lowest page is not to be touched: a thread that needs more than it has faults. The
 * first switch there calls entry, which must not return. 0, or an error of Windows. */
DWORD ft__context_make(struct context *context, SIZE_T stack_bytes, void (*entry)(void));
void ft__context_free(struct context *context);

/* The calling thread of the system has its own stack as a context from begin to end. */
DWORD ft__context_begin(struct context *own);
void ft__context_end(void);

/* Leaves the current stack, which is to be `from`, and goes on where `to` was left. */
void ft__context_switch(struct context *from, const struct context *to);

#endif
