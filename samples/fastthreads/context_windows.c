/* SPDX-License-Identifier: MIT
 *
 * context_windows.c - contexts as fibers, for the system has to know whose stack it is on.
 */
#include "context.h"

static VOID CALLBACK first(LPVOID entry)
{
    ((void (*)(void))entry)();
}

DWORD ft__context_make(struct context *context, SIZE_T stack_bytes, void (*entry)(void))
{
    context->position =
        CreateFiberEx(0, stack_bytes, FIBER_FLAG_FLOAT_SWITCH, first, (LPVOID)entry);
    return context->position ? 0 : GetLastError();
}

void ft__context_free(struct context *context)
{
    DeleteFiber(context->position);
}

DWORD ft__context_begin(struct context *own)
{
    own->position = ConvertThreadToFiberEx(NULL, FIBER_FLAG_FLOAT_SWITCH);
    return own->position ? 0 : GetLastError();
}

void ft__context_end(void)
{
    ConvertFiberToThread();
}

void ft__context_switch(struct context *from, const struct context *to)
{
    UNREFERENCED_PARAMETER(from); /* the system keeps where it was left */
    SwitchToFiber(to->position);
}
