/* SPDX-License-Identifier: MIT
 *
 * user_wait_cancel.c - see user_wait_cancel.h.
 */
#include "platform/windows/waits/user_wait_cancel.h"

#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/alert.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/pool_wait.h"
#include "platform/windows/waits/user_wait.h"

bool user_wait_cancel(struct plat_context *worker)
{
    struct plat_context *self = user_wait_hold(), *taken = NULL;
    plat_lock(&wait_lock);
    uint8_t how = atomic_load_explicit(&worker->wait.how, memory_order_relaxed);
    if (how == WAIT_DELAY || how == WAIT_QUEUED ||
        (how == WAIT_DIRECT && direct_withdraw(worker, NULL)) ||
        (how == WAIT_ALERT && alert_withdraw(worker))) {
        if (how == WAIT_QUEUED) {
            agenda_unqueue(worker);
            direct_over(worker);
        }
        deadlines_remove(worker);
        user_wait_take(worker, WAIT_STATUS_SUCCESS);
        worker->wait.next = NULL;
        taken = worker;
    }
    bool wake = how == WAIT_ARMED && pool_wait_cancel(worker);
    plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
    user_wait_complete(taken);
    user_wait_release(self);
    return how != WAIT_NONE;
}
