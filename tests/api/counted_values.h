/* SPDX-License-Identifier: MIT
 *
 * counted_values.h - an index of fiber-local storage whose callbacks are counted.
 */
#ifndef UMSSHIM_TESTS_API_COUNTED_VALUES_H
#define UMSSHIM_TESTS_API_COUNTED_VALUES_H

#include <windows.h>

#include "fleet.h"

#include <stdint.h>

static int called, sum;

static inline VOID NTAPI on_value(PVOID value)
{
    flag_add(&called, 1);
    flag_add(&sum, (int)(intptr_t)value);
}

static inline DWORD counted_index(void)
{
    flag_set(&called, 0);
    flag_set(&sum, 0);
    return FlsAlloc(on_value);
}

#endif
