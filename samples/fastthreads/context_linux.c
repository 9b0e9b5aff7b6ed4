/* SPDX-License-Identifier: MIT
 *
 * context_linux.c - stacks, and their first position as context_linux.S expects to find one.
 */
#include "context.h"

#include <stdint.h>
#include <string.h>

enum { GUARD_BYTES = 4096 };

DWORD ft__context_make(struct context *context, SIZE_T stack_bytes, void (*entry)(void))
{
    SIZE_T bytes = stack_bytes + GUARD_BYTES;
    void *stack = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    struct {
        uint32_t mxcsr;
        uint32_t control_word;
        void *registers[6];
        void (*next)(void);
    } first = {0x1f80, 0x37f, {0}, entry};
    uintptr_t top;
    DWORD before;

    if (!stack)
        return GetLastError();
    if (!VirtualProtect(stack, GUARD_BYTES, PAGE_NOACCESS, &before)) {
        VirtualFree(stack, 0, MEM_RELEASE);
        return GetLastError();
    }
    /* At its first instruction a function finds the stack 8 bytes off a multiple of 16. */
    top = ((uintptr_t)stack + bytes) / 16 * 16 - 8;
    context->stack = stack;
    context->position = memcpy((char *)top - sizeof(first), &first, sizeof(first));
    return 0;
}

void ft__context_free(struct context *context)
{
    VirtualFree(context->stack, 0, MEM_RELEASE);
}

DWORD ft__context_begin(struct context *own)
{
    UNREFERENCED_PARAMETER(own); /* it is filled in when it is left */
    return 0;
}

void ft__context_end(void)
{
}
