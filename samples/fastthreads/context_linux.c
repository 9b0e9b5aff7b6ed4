/* SPDX-License-Identifier: MIT
 *
 * context_linux.c - the first position of a stack, as context_linux.S expects to find one.
 */
#include "context.h"

#include <stdint.h>
#include <string.h>

void *ft__context_make(void *stack, size_t bytes, void (*entry)(void))
{
    /* At its first instruction a function finds the stack 8 bytes off a multiple of 16. */
    uintptr_t top = ((uintptr_t)stack + bytes) / 16 * 16 - 8;
    struct {
        uint32_t mxcsr;
        uint32_t control_word;
        void *registers[6];
        void (*next)(void);
    } first = {0x1f80, 0x37f, {0}, entry};

    return memcpy((char *)top - sizeof(first), &first, sizeof(first));
}
