/* SPDX-License-Identifier: MIT
 *
 * growing.h - an array that grows and never moves: no heap of the process's is asked on the way of
 * a wait, and what was once a place of it stays one. Its owner's lock guards it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_GROWING_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct growing {
    size_t size;          /* of a place, in bytes */
    uint32_t most, chunk; /* places there can be; made usable at a time: a divisor of `most` */
    uint32_t usable;
    void *start; /* NULL: it has no place yet */
};

/* Makes places usable, as zeroes, up to this one; at most a chunk at a time. False: no memory, or
 * there are no more. */
bool growing_reaches(struct growing *array, uint32_t place);

#endif
