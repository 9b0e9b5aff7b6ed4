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
    double use;          /* how many it used of late; for feedback, and else 0 */
    enum {
        USED_LITTLE,
        USED_ITS_SHARE,
        USED_MUCH,
        LEVELS
    } level; /* ... compared with an even share */
};

/* Divides the machine's processors. Higher priorities are served first; among equals each gets as
 * many as the others or as it wants, and what does not divide goes to some of them, who depends on
 * `turn`. Processors change hands only where they have to; one that nobody wants stays where it is.
 *
 * Where use is charged (policy_charge), each that wants a processor gets one, as far as they go. Of
 * the rest, those are served first that used clearly less than an even share, and those last that
 * used clearly more.
 *
 * True: it did not divide, so call again with the next turn after a while. */
bool policy_divide(struct program *programs, int count, uint64_t machine, unsigned turn);

/* For feedback, before each change: for so many milliseconds the programs had and wanted what the
 * array says. What a program used is averaged over about `memory_ms`. It used what it had; what
 * it had and did not want it kept for others. */
void policy_charge(struct program *programs, int count, unsigned milliseconds, unsigned memory_ms);

/* Somebody wants more than it has. With feedback the next division may be another even if nobody
 * says anything. */
bool policy_leaves_wanting(const struct program *programs, int count, uint64_t machine);

#endif
