/* SPDX-License-Identifier: MIT
 *
 * growing.h - an array that grows and never moves, without the process's heap, which a wait may not
 * use. A place of it stays one for good. Its owner's lock guards it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_GROWING_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct growing {
    size_t size;          /* bytes of a place */
    uint32_t most, chunk; /* the most places there can be; places made usable at a time, a divisor
                           * of `most` */
    uint32_t usable;
    void *start; /* NULL: it has no place yet */
};

/* Makes this place usable, as zeroes. It is at most a chunk past the last usable one. False: no
 * memory, or no more places. */
bool growing_reaches(struct growing *array, uint32_t place);

#endif
