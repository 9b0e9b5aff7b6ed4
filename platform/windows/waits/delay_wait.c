/* SPDX-License-Identifier: MIT
 *
 * delay_wait.c - see delay_wait.h.
 */
#include "platform/windows/waits/delay_wait.h"

#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/deadlines.h"

/* The scheduler begins the worker's wait for a time. */
static bool left_for_delay(void *arg)
{
    struct plat_context *worker = arg;
    plat_lock(&wait_lock);
    bool wake = false, added = deadlines_add(worker);
    if (added) {
        atomic_store_explicit(&worker->wait.how, WAIT_DELAY, memory_order_relaxed);
        wake = agenda_is_late_for(worker->wait.deadline);
    } else {
        worker->wait.again = true;
    }
    plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
    return added;
}

struct wait_result delay_wait(BOOLEAN alertable, const LARGE_INTEGER *interval)
{
    struct plat_context *self = engine_in_place ? call_worker() : NULL;
    if (!self || alertable || !interval || !interval->QuadPart)
        return (struct wait_result){.done = false};
    user_wait_set_deadline(&self->wait, interval);
    call_note(self, "NtDelayExecution", 0);
    bool done = user_wait(self, left_for_delay) && !self->wait.again;
    return (struct wait_result){done, WAIT_STATUS_SUCCESS};
}
