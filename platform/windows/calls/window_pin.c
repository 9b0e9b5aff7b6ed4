/* SPDX-License-Identifier: MIT
 *
 * window_pin.c - see window_pin.h.
 */
#include "platform/windows/calls/window_pin.h"

#include "platform/windows/switch/call.h"
#include "platform/windows/switch/inplace.h"

void window_call(void)
{
    struct plat_context *self = call_worker();
    if (UMS_LIKELY(!self || self->pinned & PINNED_WINDOW))
        return;
    inplace_go_home(self);
    atomic_fetch_or_explicit(&self->pinned, PINNED_WINDOW, memory_order_relaxed);
}
