/* SPDX-License-Identifier: MIT
 *
 * site_table.c - finds where a module's functions begin and end, by the unwind table
 * (PT_GNU_EH_FRAME).
 */
#include <string.h>

#include "platform/linux/libc/sites.h"

static int32_t word(const void *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Knows the forms of the table that the linkers of gcc and clang write, and no others. */
bool site_function(const struct site_code *code, uintptr_t at, uintptr_t *start, uintptr_t *end)
{
    enum { VERSION = 1, UDATA4 = 0x03, TABLE_FORM = 0x3b, ROW = 8, HEADER = 12 };
    const unsigned char *table = code->functions;
    if (!table || table[0] != VERSION || table[2] != UDATA4 || table[3] != TABLE_FORM)
        return false;
    uint32_t low = 0, high = (uint32_t)word(table + 8);
    const unsigned char *rows = table + HEADER;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)table + (uintptr_t)(intptr_t)word(rows + (size_t)middle * ROW) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const unsigned char *row = rows + (size_t)(low - 1) * ROW;
    const unsigned char *entry = table + word(row + 4), *common = entry + 4 - word(entry + 4);
    *start = (uintptr_t)table + (uintptr_t)(intptr_t)word(row);
    /* An entry: length, distance to the part that entries share, start (from this field on),
     * bytes. */
    if ((uintptr_t)entry + 8 + (uintptr_t)(intptr_t)word(entry + 8) != *start)
        return false;
    /* The shared part: version, then letters. S: code to which signal handlers return, whose entry
     * begins a byte early. */
    if (common[8] != VERSION || strchr((const char *)common + 9, 'S'))
        return false;
    *end = *start + (uint32_t)word(entry + 12);
    return at < *end && *start >= code->start && *end <= code->end;
}
