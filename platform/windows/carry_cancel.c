/* SPDX-License-Identifier: MIT
 *
 * carry_cancel.c - see carry_cancel.h.
 */
#include "platform/windows/carry_cancel.h"

#include "platform/windows/agenda.h"
#include "platform/windows/alert.h"
#include "platform/windows/armed.h"
#include "platform/windows/carry.h"
#include "platform/windows/deadlines.h"
#include "platform/windows/direct_waiters.h"

bool carry_cancel(struct plat_context *worker)
{
    struct plat_context *self = carry_hold(), *taken = NULL;
    plat_lock(&carry_lock);
    uint8_t how = atomic_load_explicit(&worker->carry.how, memory_order_relaxed);
    if (how == CARRY_DELAY || how == CARRY_YOUNG || how == CARRY_QUEUED ||
        (how == CARRY_ALERT && alert_withdraw(worker))) {
        if (how == CARRY_YOUNG)
            direct_remove(worker);
        if (how == CARRY_QUEUED) {
            agenda_unqueue(worker);
            direct_over(worker);
        }
        deadlines_remove(worker);
        carry_take(worker, CARRY_STATUS_SUCCESS);
        worker->carry.next = NULL;
        taken = worker;
    }
    bool kick = how == CARRY_ARMED && armed_cancel(worker);
    plat_unlock(&carry_lock);
    if (kick)
        agenda_kick();
    carry_complete(taken);
    carry_release(self);
    return how != CARRY_NONE;
}
