/* SPDX-License-Identifier: MIT
 *
 * doubles.h - what stands in for a unit's neighbours.
 *
 * A unit test includes one source file of the product, so that it sees its private functions, and
 * links these instead of the engine: a clock that the test sets, a kernel of the test's own, and an
 * end by plat_fatal that can be caught.
 */
#ifndef UMSSHIM_TESTS_UNIT_DOUBLES_H
#define UMSSHIM_TESTS_UNIT_DOUBLES_H

#include <setjmp.h>
#include <stdint.h>

/* What plat_now gives. */
extern uint64_t double_now;

/* The kernel: what a call of raw.h gives; NULL: each gives 0. */
extern long (*double_syscall)(long nr, const long args[6]);

/* What plat_processor gives. */
extern unsigned double_processor;

/* Bytes that plat_commit can still give; with none plat_reserve fails, too. */
extern size_t double_memory;

/* While `armed` is set plat_fatal comes back here, as in
 * `double_fatal.armed = 1; if (!setjmp(double_fatal.jump)) ...` and counts; else it ends the process. */
extern struct double_fatal {
    int armed, count;
    jmp_buf jump;
} double_fatal;

/* The next number of a sequence that `state` starts (xorshift); the same in every run of a seed. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
