/* SPDX-License-Identifier: MIT
 *
 * switch.h - switch.S: stacks and thread pointers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_SWITCH_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_SWITCH_H

#include <stddef.h>
#include <stdint.h>

_Noreturn void ctx_jump(void *fn, void *a, void *b, void *sp, uintptr_t fs);
void ctx_switch(void **save, void *sp);
void ctx_first(void);

/* A stack position `gap` bytes below the caller's frame, for a context that shares its stack with a
 * parked kernel thread. */
#define SHARED_STACK_GAP 8192
static inline void *stack_below(void *frame, size_t gap)
{
    return (void *)(((uintptr_t)frame - gap) & ~(uintptr_t)63);
}

#endif
