/* SPDX-License-Identifier: MIT
 *
 * memcheck.h - tells valgrind's memcheck about the library's stacks. Does nothing if valgrind's
 * header was missing at the build, or if the program runs without valgrind.
 *
 * memcheck calls memory below a thread's stack pointer unaddressable, once it was used. It knows
 * each thread's stack from the clone. When the pointer goes from one known stack to another, it
 * leaves memory as it is. So it follows workers and schedulers by itself. It cannot know:
 *   - a worker's stack that begins anew: below the frames of a home that has had another worker,
 *     or on a stack from libc's cache;
 *   - a first frame, which is written before a stack pointer is there;
 *   - the program's fibers, whose stacks are no thread's: a pointer that goes to one nearby would
 *     be a growing or shrinking stack.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_MEMCHECK_H
#define UMSSHIM_PLATFORM_LINUX_OS_MEMCHECK_H

#include <stddef.h>
#include <stdint.h>

#ifdef UMSSHIM_MEMCHECK /* only in the library itself, if the system has the header */
#include <valgrind/memcheck.h>

/* Tells of a part of a stack that may be used from now on, and has no contents yet. */
static inline void memcheck_fresh(uintptr_t start, size_t bytes)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(start, bytes);
}

/* Tells of a stack, and returns a number for memcheck_stack_ends. `high` is part of it: an empty
 * stack's pointer is there. */
static inline unsigned memcheck_stack_begins(uintptr_t low, uintptr_t high)
{
    return VALGRIND_STACK_REGISTER(low, high);
}

static inline void memcheck_stack_ends(unsigned number)
{
    VALGRIND_STACK_DEREGISTER(number);
}
#else
static inline void memcheck_fresh(uintptr_t start, size_t bytes)
{
    (void)start, (void)bytes;
}

static inline unsigned memcheck_stack_begins(uintptr_t low, uintptr_t high)
{
    (void)low, (void)high;
    return 0;
}

static inline void memcheck_stack_ends(unsigned number)
{
    (void)number;
}
#endif

#endif
