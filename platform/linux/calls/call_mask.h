/* SPDX-License-Identifier: MIT
 *
 * call_mask.h - calls with a signal mask among their arguments.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_MASK_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_MASK_H

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/plat_types.h"

struct call;

/* Whether the call is one of these. */
static inline bool call_brings_mask(const struct call *call)
{
    return call->entry->mask != NO_MASK;
}

/* Replaces the worker's mask by the call's own, before the call is attempted. On the worker. 0 or
 * -errno. */
int call_mask_begin(struct call *call);
/* Brings the old mask back, as the call is over with this result. The thread that completes the
 * call does this. */
void call_mask_end(struct call *call, long result);

#endif
