/* SPDX-License-Identifier: MIT
 *
 * token_pin.h - a worker that acts as somebody else stays on its own thread: the token hangs there.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_TOKEN_PIN_H

#include "platform/windows/plat_types.h"

/* A worker was given a token, or it was taken away. NULL: it is no worker's thread. Before the worker may
 * leave its home. */
static inline void token_pin(struct plat_context *worker, bool yes)
{
    if (worker && yes)
        atomic_fetch_or(&worker->pinned, PINNED_TOKEN);
    else if (worker)
        atomic_fetch_and(&worker->pinned, (uint8_t)~PINNED_TOKEN);
}

#endif
