/* SPDX-License-Identifier: MIT
 *
 * token_pin.h - a worker that acts as somebody else stays on its own thread: the token hangs there.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H

#include "platform/windows/plat_types.h"

/* A worker or a scheduler was given a token, or it was taken away. NULL: it is neither's thread.
 * Before a worker may leave its home. */
static inline void token_pin(struct plat_context *context, bool yes)
{
    if (context && yes)
        atomic_fetch_or(&context->pinned, PINNED_TOKEN);
    else if (context)
        atomic_fetch_and(&context->pinned, (uint8_t)~PINNED_TOKEN);
}

#endif
