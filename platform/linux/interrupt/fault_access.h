/* SPDX-License-Identifier: MIT
 *
 * fault_access.h - finds the memory that an interrupted instruction reads or writes next, and
 * touches it in the instruction's place, so that the page fault happens here.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_ACCESS_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum { FAULT_ACCESSES = 2 };

struct fault_access {
    uintptr_t first, last; /* addresses of the first and the last byte, on the same page or on
                            * neighbouring ones */
    bool writes;
};

/* Finds the places that the interrupted instruction reads or writes next, and returns their number.
 * 0: they are not known. There is no decoder, or the instruction is a gather, uses thread-local
 * data, or has registers of less than 64 bits in an address. */
unsigned fault_accesses(const ucontext_t *interrupted,
                        struct fault_access accesses[FAULT_ACCESSES]);

/* ---- fault_touch.S ---- */

/* Reads the two bytes, or writes to each its own value by one locked instruction. */
void fault_touch(uintptr_t first, uintptr_t last, bool writes);
extern const char fault_touch_end[];

/* Whether a thread that sleeps in a fault at this address is in fault_touch. */
static inline bool fault_touches(uintptr_t code)
{
    return code >= (uintptr_t)fault_touch && code < (uintptr_t)fault_touch_end;
}

#endif
