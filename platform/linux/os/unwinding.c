/* SPDX-License-Identifier: MIT
 *
 * unwinding.c - see unwinding.h.
 */
#include "platform/linux/os/unwinding.h"

#include <stdatomic.h>

void (*_Atomic unwinding_functions[UNWINDING_HANDLER + 1])(void)
    __attribute__((visibility("hidden"), used));

void unwinding_calls(enum unwinding_frame frame, void (*function)(void))
{
    if (atomic_load_explicit(&unwinding_functions[frame], memory_order_relaxed) != function)
        atomic_store_explicit(&unwinding_functions[frame], function, memory_order_release);
}
