/* SPDX-License-Identifier: MIT
 *
 * spread.c - counts of times by size.
 */
#include "spread.h"

/* Below 16 each number has a class. Above, a class is the highest bit and the four bits that follow it. */
static unsigned class_of(uint64_t ns)
{
    unsigned bit;

    if (ns < SPREAD_PARTS)
        return (unsigned)ns;
    bit = 63 - (unsigned)__builtin_clzll(ns);
    return (bit - 3) * SPREAD_PARTS + (unsigned)(ns >> (bit - 4) & (SPREAD_PARTS - 1));
}

/* The largest number of a class. */
static uint64_t end_of(unsigned class)
{
    unsigned shift;

    if (class < SPREAD_PARTS)
        return class;
    shift = class / SPREAD_PARTS - 1;
    return ((SPREAD_PARTS + class % SPREAD_PARTS + UINT64_C(1)) << shift) - 1;
}

void spread_add(struct spread *spread, uint64_t ns)
{
    spread->classes[class_of(ns)]++;
    spread->count++;
    if (ns > spread->most)
        spread->most = ns;
}

uint64_t spread_at(const struct spread *spread, double share)
{
    uint64_t wanted = (uint64_t)(share * (double)spread->count), seen = 0;

    for (unsigned class = 0; class < SPREAD_CLASSES; class ++) {
        seen += spread->classes[class];
        if (seen > wanted)
            return end_of(class) < spread->most ? end_of(class) : spread->most;
    }
    return spread->most;
}
