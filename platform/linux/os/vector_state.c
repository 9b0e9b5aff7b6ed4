/* SPDX-License-Identifier: MIT
 *
 * vector_state.c - see vector_state.h.
 */
#pragma GCC visibility push(default)
#include <cpuid.h>
#include <stdbool.h>
#pragma GCC visibility pop

#include "platform/linux/os/vector_state.h"

uint64_t vector_state_bytes;
uint32_t vector_state_parts, vector_state_form, vector_state_asks;

/* The red zone, the registers, and the stack for user_call and the switch below it. */
size_t vector_state_call_bytes(void)
{
    enum { CALLS = 8192, WITHOUT_STATE = 4096 };
    return CALLS + (vector_state_bytes ? vector_state_bytes : WITHOUT_STATE);
}

/* The quick way moves opmasks of 64 bits, so the processor must have these if it has opmasks. */
static bool has_wide_masks(uint32_t parts)
{
    enum { OPMASKS = 0x20 };
    uint32_t a, b, c, d;
    return !(parts & OPMASKS) || (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX512BW);
}

/* Keeps all state that a system call keeps, except the tiles of AMX: they alone are twice as large
 * as the rest. */
void vector_state_find(void)
{
    enum { PARTS = 1 << 19 | 0xe7, LEGACY = 512, HEADER = 64 };
    uint32_t a, b, c, d, low, high;
    vector_state_form = VECTOR_STATE_OLD;
    vector_state_bytes = LEGACY;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    bool compact = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 2, tells = a & 4;
    vector_state_parts = low & PARTS;
    size_t bytes = LEGACY + HEADER;
    for (unsigned part = 2; part < 32; part++) {
        if (!(vector_state_parts & 1u << part) || !__get_cpuid_count(0xd, part, &a, &b, &c, &d))
            continue;
        if (compact)
            bytes = (c & 2 ? (bytes + 63) & ~(size_t)63 : bytes) + a;
        else if (b + a > bytes)
            bytes = b + a;
    }
    vector_state_bytes = (bytes + 63) & ~(size_t)63;
    vector_state_asks = compact && tells && has_wide_masks(vector_state_parts);
    if (vector_state_asks && vector_state_bytes < VECTOR_STATE_QUICK)
        vector_state_bytes = VECTOR_STATE_QUICK;
    vector_state_form = compact ? VECTOR_STATE_COMPACT : VECTOR_STATE_STANDARD;
}
