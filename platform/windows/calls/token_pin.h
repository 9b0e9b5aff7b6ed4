/* SPDX-License-Identifier: MIT
 *
 * token_pin.h - a worker that impersonates a user stays on its own thread: the token belongs to
 * that thread.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H

#include "platform/windows/plat_types.h"

/* The context's thread was given a token, or lost it. NULL: the thread is neither a worker's nor a
 * scheduler's. Called before the worker may leave its home. */
static inline void token_pin(struct plat_context *context, bool yes)
{
    if (context && yes)
        atomic_fetch_or(&context->pinned, PINNED_TOKEN);
    else if (context)
        atomic_fetch_and(&context->pinned, (uint8_t)~PINNED_TOKEN);
}

#endif
