/* SPDX-License-Identifier: MIT
 *
 * context.h - a stack and where it was left: what the user ground needs of the machine.
 */
#ifndef FASTTHREADS_CONTEXT_H
#define FASTTHREADS_CONTEXT_H

#include <stddef.h>

/* A new stack's position: the first switch to it calls entry, which must not return. */
void *ft__context_make(void *stack, size_t bytes, void (*entry)(void));

/* Leaves the current stack, with its position in *save, and goes on where `to` was left. */
void ft__context_switch(void **save, void *to);

#endif
