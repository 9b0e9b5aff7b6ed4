/* SPDX-License-Identifier: MIT
 *
 * alert.c - see alert.h.
 */
#include "platform/windows/waits/alert.h"

#include "platform/windows/os/alert_raw.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/arrivals.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/ntdll_wait.h"
#include "platform/windows/waits/user_wait.h"

bool alert_ours;

/* ---- Kernel threads -------------------------------------------------------------------------- */

/* Waits for the alert of the kernel thread. The system may look that thread up by the id in the
 * TEB, so the TEB has the thread's own id meanwhile, not the worker's. */
static NTSTATUS wait_really(struct plat_context *self, const LARGE_INTEGER *timeout)
{
    LARGE_INTEGER rest = timeout ? *timeout : (LARGE_INTEGER){.QuadPart = 0};
    if (!self || self->is_scheduler)
        return ORIGINAL(NtWaitForAlertByThreadId)(NULL, timeout ? &rest : NULL);
    uint32_t id = teb_set_id(self->carrier_id);
    NTSTATUS status = ORIGINAL(NtWaitForAlertByThreadId)(NULL, timeout ? &rest : NULL);
    teb_set_id(id);
    return status;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static bool use_up(struct plat_context *self, uint32_t was, uint32_t next)
{
    plat_written(&self->wait.alert);
    return atomic_compare_exchange_strong_explicit(&self->wait.alert, &was, next,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* The scheduler begins the worker's wait for an alert. A wait without a deadline needs no lock. */
static bool left_for_alert(void *arg)
{
    struct plat_context *worker = arg;
    bool timed = worker->wait.deadline != PLAT_FOREVER, wake = false;
    atomic_store_explicit(&worker->wait.how, WAIT_ALERT, memory_order_relaxed);
    if (timed)
        plat_lock(&wait_lock);
    bool waits = !timed || deadlines_add(worker);
    if (waits && timed)
        wake = agenda_is_late_for(worker->wait.deadline);
    if (waits && !use_up(worker, ALERT_NONE, ALERT_USER)) {
        deadlines_remove(worker);
        waits = false;
    }
    /* After the exchange another thread may complete and run the worker, so this code does not
     * touch it any more. If the exchange failed the worker is still ours. */
    if (timed)
        plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
    if (!waits)
        worker->wait.again = true;
    return waits;
}

/* Called inside the engine, or in a process that ends. The thread waits and its scheduler is not
 * told. */
static NTSTATUS wait_uninterrupted(struct plat_context *self, const LARGE_INTEGER *timeout)
{
    struct user_wait time; /* self->wait may be in use */
    LARGE_INTEGER rest;
    user_wait_set_deadline(&time, timeout);
    for (;;) {
        uint32_t now = atomic_load_explicit(&self->wait.alert, memory_order_acquire);
        if (now == ALERT_USER || now == ALERT_REAL)
            return wait_really(self, timeout);
        if (use_up(self, ALERT_PENDING, ALERT_NONE))
            return WAIT_STATUS_ALERTED;
        if (!use_up(self, ALERT_NONE, ALERT_KERNEL))
            continue;
        NTSTATUS status = wait_really(self, user_wait_rest(&time, &rest));
        if (!use_up(self, ALERT_KERNEL, ALERT_NONE))
            continue; /* the alert was sent */
        if (status == CALL_STATUS_TIMEOUT && user_wait_expired(&time, plat_now()))
            return status;
    }
}

/* `locks` keeps other threads from stopping the worker meanwhile, while its TEB has its carrier's
 * id. */
static NTSTATUS wait_inside(struct plat_context *self, const LARGE_INTEGER *timeout)
{
    self->locks++;
    NTSTATUS status = wait_uninterrupted(self, timeout);
    self->locks--;
    return status;
}

static NTSTATUS wait_where_it_is(struct plat_context *self, HANDLE none,
                                 const LARGE_INTEGER *timeout)
{
    (void)none;
    return wait_inside(self, timeout);
}

struct wait_result alert_wait(const void *address, const LARGE_INTEGER *timeout, const void *caller)
{
    struct plat_context *self = plat_current();
    struct wait_result result = {.done = alert_ours && self && !self->is_scheduler};
    if (!result.done)
        return result;
    result.status = WAIT_STATUS_ALERTED;
    if (use_up(self, ALERT_PENDING, ALERT_NONE))
        return result;
    result.status = CALL_STATUS_TIMEOUT;
    if (call_has_no_time(timeout))
        return result;
    bool waited = false;
    if (call_worker() && ntdll_wait_is_one(self, caller)) {
        struct wait_result here = ntdll_wait(self, NULL, timeout, wait_where_it_is);
        if (here.done)
            return here;
    }
    if (call_worker()) {
        user_wait_set_deadline(&self->wait, timeout);
        call_note(self, "NtWaitForAlertByThreadId", (uintptr_t)address);
        waited = user_wait(self, left_for_alert) && !self->wait.again;
    }
    /* The worker has not waited if an alert came while it left, or if there was no memory for its
     * deadline. */
    result.status = waited ? self->wait.status : wait_inside(self, timeout);
    return result;
}

void alert_begin(struct plat_context *self)
{
    atomic_store_explicit(&self->wait.alert, ALERT_NONE, memory_order_release);
}

void alert_end(struct plat_context *self)
{
    atomic_store_explicit(&self->wait.alert, ALERT_REAL, memory_order_release);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static void let_go(struct plat_context *worker)
{
    struct plat_context *self = user_wait_hold();
    if (worker->wait.deadline != PLAT_FOREVER) {
        plat_lock(&wait_lock);
        deadlines_remove(worker);
        plat_unlock(&wait_lock);
    }
    worker->wait.status = WAIT_STATUS_ALERTED;
    worker->wait.next = NULL;
    user_wait_complete(worker);
    user_wait_release(self);
}

/* Alerts a worker whose alerts are the library's. False: the caller has the system alert the thread
 * of that id. */
static bool alert_worker(HANDLE id)
{
    arrives(ARRIVAL_ALERT);
    struct plat_context *worker = alert_ours ? thread_map_look((uint32_t)(uintptr_t)id) : NULL;
    if (!worker || worker->is_scheduler)
        return false;
    uint32_t was = atomic_load_explicit(&worker->wait.alert, memory_order_acquire);
    plat_written(&worker->wait.alert);
    do
        if (was == ALERT_REAL)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&worker->wait.alert, &was,
                                                  was == ALERT_USER ? ALERT_NONE : ALERT_PENDING,
                                                  memory_order_acq_rel, memory_order_acquire));
    if (was == ALERT_USER && !atomic_load_explicit(&engine_over, memory_order_relaxed))
        let_go(worker);
    else if (was == ALERT_KERNEL)
        alert_raw_wake(worker->carrier_id);
    return true;
}

NTSTATUS NTAPI on_alert(HANDLE id)
{
    return alert_worker(id) ? 0 : ORIGINAL_OF(NtAlertThreadByThreadId)(id);
}

NTSTATUS NTAPI on_alert_ex(HANDLE id, void *lock)
{
    return alert_worker(id) ? 0 : ORIGINAL_OF(NtAlertThreadByThreadIdEx)(id, lock);
}

NTSTATUS NTAPI on_alert_multiple(HANDLE *ids, ULONG count, void *a, void *b)
{
    bool any = false;
    arrives(ARRIVAL_ALERT);
    for (ULONG i = 0; alert_ours && i < count && !any; i++) {
        struct plat_context *context = thread_map_look((uint32_t)(uintptr_t)ids[i]);
        any = context && !context->is_scheduler;
    }
    if (!any)
        return ORIGINAL_OF(NtAlertMultipleThreadByThreadId)(ids, count, a, b);
    for (ULONG i = 0; i < count; i++)
        on_alert(ids[i]);
    return 0;
}
