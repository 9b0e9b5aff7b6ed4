/* SPDX-License-Identifier: MIT
 *
 * call_mask.h - calls that bring a mask of their own.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_MASK_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_MASK_H

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/plat_types.h"

struct call;

/* Whether it is one of those calls. */
static inline bool call_brings_mask(const struct call *call)
{
    return call->entry->mask != NO_MASK;
}

/* Replaces the worker's mask by the call's own, before the call is attempted. On the reactor. 0 or
 * -errno. */
int call_mask_begin(struct call *call);
/* The call is over with this result: the mask that comes back. Any thread that completes it. */
void call_mask_end(struct call *call, long result);

#endif
