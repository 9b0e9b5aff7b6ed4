/* SPDX-License-Identifier: MIT
 *
 * policy.h - which program gets which processors: space sharing by priority and demand.
 */
#ifndef FASTTHREADS_ALLOCATOR_POLICY_H
#define FASTTHREADS_ALLOCATOR_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct program {
    bool here;
    int priority;
    unsigned wanted;     /* processors it has work for */
    uint64_t usable;     /* those it can use at all */
    uint64_t processors; /* in: what it has; out: what it is to have */
};

/* Divides the machine's processors. Higher priorities are served first; among equals each gets as
 * many as the others or as it wants, and what does not divide goes to some of them, who depends on
 * `turn`. Processors change hands only where they have to; one that nobody wants stays where it is.
 * True: it did not divide, so call again with the next turn after a while. */
bool policy_divide(struct program *programs, int count, uint64_t machine, unsigned turn);

#endif
