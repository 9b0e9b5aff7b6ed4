/* SPDX-License-Identifier: MIT
 *
 * growing.c - see growing.h.
 */
#include "platform/windows/waits/growing.h"

#include "platform/check.h"
#include "platform/platform.h"

bool growing_reaches(struct growing *array, uint32_t place)
{
    if (UMS_LIKELY(place < array->usable))
        return true;
    if (!array->start)
        array->start = plat_reserve(array->most * array->size);
    if (!array->start || array->usable >= array->most ||
        !plat_commit((char *)array->start + array->usable * array->size,
                     array->chunk * array->size))
        return false;
    array->usable += array->chunk;
    return true;
}
