/* SPDX-License-Identifier: MIT
 *
 * call.h - a call's record.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_H

#include "platform/linux/plat_types.h"
#include "platform/platform.h"

struct call_row;

static inline void call_begin(struct call *call, struct lane *lane, const struct call_row *entry)
{
    call->entry = entry;
    call->result = 0;
    call->progress = 0;
    call->deadline = PLAT_FOREVER;
    call->realtime = false;
    call->connection = 0;
    call->lane = lane;
    call->interrupted = call->masked = false;
    call->settling = NULL;
    atomic_store_explicit(&call->cancelled, false, memory_order_relaxed);
}
/* The call is over: stores the result and queues its worker. Any thread. */
void call_complete(struct call *call, long result);
/* Completes a call whose wait was broken off, because its worker is to end or to run a handler:
 * with its progress, or with -EINTR. */
void call_interrupt(struct call *call);
void call_forget(struct call *call); /* waits until no other thread looks at it */

#endif
