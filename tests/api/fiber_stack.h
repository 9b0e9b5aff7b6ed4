/* SPDX-License-Identifier: MIT
 *
 * fiber_stack.h - the stack of a test's fibers, and whether an address is on the stack that the
 * thread block tells.
 */
#ifndef UMSSHIM_TESTS_API_FIBER_STACK_H
#define UMSSHIM_TESTS_API_FIBER_STACK_H

#include <windows.h>

#ifdef _WIN32 /* MinGW reads the TEB at a constant address, which gcc takes for a mistake */
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif

enum { STACK = 256 * 1024 };

static inline int within_stack(const void *address)
{
    ULONG_PTR low = 0, high = 0;

    GetCurrentThreadStackLimits(&low, &high);
    return (ULONG_PTR)address >= low && (ULONG_PTR)address < high;
}

#endif
