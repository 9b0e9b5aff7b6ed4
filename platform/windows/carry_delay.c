/* SPDX-License-Identifier: MIT
 *
 * carry_delay.c - see carry_delay.h.
 */
#include "platform/windows/carry_delay.h"

#include "platform/windows/agenda.h"
#include "platform/windows/call.h"
#include "platform/windows/deadlines.h"

/* On the scheduler. */
static bool left_for_delay(void *arg)
{
    struct plat_context *worker = arg;
    plat_lock(&carry_lock);
    bool kick = false, added = deadlines_add(worker);
    if (added) {
        atomic_store_explicit(&worker->carry.how, CARRY_DELAY, memory_order_relaxed);
        kick = agenda_is_late_for(worker->carry.deadline);
    } else {
        worker->carry.again = true;
    }
    plat_unlock(&carry_lock);
    if (kick)
        agenda_kick();
    return added;
}

struct carried carry_delay(BOOLEAN alertable, const LARGE_INTEGER *interval)
{
    struct plat_context *self = engine_in_place ? call_worker() : NULL;
    if (!self || alertable || !interval || !interval->QuadPart)
        return (struct carried){.done = false};
    carry_set_deadline(&self->carry, interval);
    bool done = carry_wait(self, left_for_delay) && !self->carry.again;
    return (struct carried){done, CARRY_STATUS_SUCCESS};
}
