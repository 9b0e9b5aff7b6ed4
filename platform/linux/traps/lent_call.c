/* SPDX-License-Identifier: MIT
 *
 * lent_call.c - see lent_call.h.
 */
#include "platform/linux/traps/lent_call.h"

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/fault_watch.h"

bool call_is_lent(long number)
{
    return call_row_find(number, CALL_LENDS) && fault_watch_wanted();
}

long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable)
{
    struct plat_context *scheduler = self->is_scheduler ? NULL : self->scheduler;
    if (!fault_watch_wanted() || !scheduler || !scheduler->lane || !scheduler->lane->hosting.hosts)
        return raw_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    return fault_lent_call(self, number, args, behind, cancellable);
}
