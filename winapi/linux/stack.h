/* SPDX-License-Identifier: MIT
 *
 * stack.h - sizes of stacks.
 */
#ifndef UMSSHIM_WINAPI_LINUX_STACK_H
#define UMSSHIM_WINAPI_LINUX_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Windows rounds small stacks up as well, and code needs more stack here than there. The extra is
 * only address space until it is used. 0: the default. A size larger than any address space stays
 * too large, and does not wrap when its user adds to it. */
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
