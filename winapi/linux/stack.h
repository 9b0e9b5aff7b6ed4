/* SPDX-License-Identifier: MIT
 *
 * stack.h - how large stacks are.
 */
#ifndef UMSSHIM_WINAPI_LINUX_STACK_H
#define UMSSHIM_WINAPI_LINUX_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Windows rounds small stacks up as well, and code compiled here needs more than there. The extra
 * is address space until it is touched. 0: the default. A size that no address space has stays too
 * large, without wrapping where its user adds to it. */
static inline size_t win__stack_bytes(size_t asked)
{
    enum { DEFAULT_STACK = 1 << 20, SMALLEST_STACK = 256 << 10 };
    if (!asked)
        return DEFAULT_STACK;
    if (asked > SIZE_MAX / 2)
        return SIZE_MAX / 2;
    return asked < SMALLEST_STACK ? SMALLEST_STACK : asked;
}

#endif
