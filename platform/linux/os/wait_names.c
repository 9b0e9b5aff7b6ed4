/* SPDX-License-Identifier: MIT
 *
 * wait_names.c - the calls that wait at addresses, by their rows of the layout (platform/layout.h).
 */
#include "platform/layout.h"

extern struct layout_row first_row[] __asm__("__start_umsinfo")
    __attribute__((visibility("hidden")));
extern struct layout_row end_row[] __asm__("__stop_umsinfo") __attribute__((visibility("hidden")));

const char *layout_wait_name(unsigned index)
{
    for (struct layout_row *row = first_row; row < end_row; row++)
        if (row->kind == LAYOUT_IS_WAIT && !index--)
            return row->name;
    return NULL;
}

unsigned layout_wait_index(const void *why)
{
    unsigned index = 0;
    for (struct layout_row *row = first_row; row < end_row; row++) {
        if (row->kind != LAYOUT_IS_WAIT)
            continue;
        if (row->value == (uintptr_t)why)
            return index;
        index++;
    }
    return ~0u;
}
