/* SPDX-License-Identifier: MIT
 *
 * object_wait.c - see object_wait.h.
 *
 * A worker first tries to take the object with no time to wait, as in every handler (call_wait.c).
 * If a private object is known not to be signalled it does not even try.
 */
#include "platform/windows/waits/object_wait.h"

#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/teb_fence.h"
#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/direct_ages.h"
#include "platform/windows/waits/direct_signal.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/ntdll_wait.h"
#include "platform/windows/waits/pool_wait.h"

static LARGE_INTEGER no_time; /* zero */

static bool register_direct(struct plat_context *worker, bool *joined)
{
    struct handle_info *info = worker->wait.info;
    plat_lock(&info->lock);
    bool waits = direct_add(worker);
    if (waits) {
        enum roll roll = direct_ages_enter(worker);
        *joined = roll == ROLL_JOINED;
        waits = roll != ROLL_NO_MEMORY && deadlines_add(worker);
        if (!waits)
            direct_remove(worker);
    }
    if (!waits) {
        worker->wait.again = true;
        /* The worker is BLOCKED still, and user_wait_cancel must not take it off a record that it
         * has left. */
        atomic_store_explicit(&worker->wait.how, WAIT_ENTERING, memory_order_relaxed);
    }
    plat_unlock(&info->lock);
    return waits;
}

/* The scheduler begins the worker's direct wait. It does not touch the worker after it is
 * registered: another thread may complete it. */
static bool left_direct(void *arg)
{
    struct plat_context *worker = arg;
    uint64_t deadline = worker->wait.deadline;
    bool wake = false, joined = false;
    if (deadline != PLAT_FOREVER)
        plat_lock(&wait_lock);
    bool waits = register_direct(worker, &joined);
    if (deadline != PLAT_FOREVER) {
        wake = waits && agenda_is_late_for(deadline);
        plat_unlock(&wait_lock);
    }
    if (wake)
        agenda_wake();
    if (joined)
        direct_ages_tick();
    return waits;
}

/* The scheduler begins the worker's wait by the pool. */
static bool left_for_pool(void *arg)
{
    plat_lock(&wait_lock);
    bool wake = agenda_queue(arg);
    plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
    return true;
}

/* Looks at the object, or tries to take it. The result is final unless it is a time-out. */
static NTSTATUS look(struct handle_info *info, uint8_t kind, HANDLE object, uint32_t *seen)
{
    *seen = info ? atomic_load(&info->word) : 0;
    if (kind >= HANDLE_AUTO && *seen & INFO_EMPTY)
        return CALL_STATUS_TIMEOUT;
    NTSTATUS status = ORIGINAL(NtWaitForSingleObject)(object, FALSE, &no_time);
    uint32_t word = *seen;
    if (status == CALL_STATUS_TIMEOUT || (status == WAIT_STATUS_SUCCESS && kind == HANDLE_AUTO))
        if (kind >= HANDLE_AUTO)
            atomic_compare_exchange_strong(&info->word, &word, word | INFO_EMPTY);
    return status;
}

/* Waits in user mode. False: the worker's own thread has to wait. */
static bool wait_for(struct plat_context *self, struct handle_info *info, uint8_t kind,
                     HANDLE object)
{
    call_note(self, "NtWaitForSingleObject", (uintptr_t)object);
    self->wait.kind = kind;
    self->wait.info = info;
    if (kind >= HANDLE_AUTO) {
        self->wait.handle = object;
        return user_wait(self, left_direct);
    }
    self->wait.handle = handle_duplicate(object);
    if (!self->wait.handle)
        return false;
    if (user_wait(self, left_for_pool))
        return true;
    ORIGINAL_OF(NtClose)(self->wait.handle);
    return false;
}

/* The worker waits in user mode. False: it cannot, and its own thread makes the call. */
static bool wait_in_user_mode(struct plat_context *self, HANDLE object,
                              const LARGE_INTEGER *timeout, NTSTATUS *status)
{
    uint8_t kind;
    struct handle_info *info = handle_info_learn(object, &kind);
    if (kind < HANDLE_OTHER)
        return false;
    /* If the worker is at home, or the pool has not begun, its own thread waits: that takes fewer
     * wake-ups. */
    if (kind == HANDLE_OTHER && (!self->host || !pool_wait_has_begun()))
        return false;
    if (call_has_no_time(timeout)) {
        *status = ORIGINAL(NtWaitForSingleObject)(object, FALSE, &no_time);
        return true;
    }
    bool timed = false;
    for (int tries = 0; tries < 100; tries++) {
        *status = look(info, kind, object, &self->wait.seen);
        if (*status != CALL_STATUS_TIMEOUT)
            return true;
        if (!timed) {
            if (loader_is_at_work_here()) /* the pool may have to start a thread, which would wait
                                           * for the loader */
                return false;
            user_wait_set_deadline(&self->wait, timeout);
            timed = true;
        } else if (self->wait.deadline != PLAT_FOREVER &&
                   user_wait_expired(&self->wait, plat_now())) {
            return true;
        }
        if (!wait_for(self, info, kind, object))
            return false;
        *status = self->wait.status;
        if (!self->wait.again)
            return true;
        kind = handle_kind(info); /* the object may have been shared meanwhile */
        if (kind < HANDLE_OTHER)
            return false;
    }
    return false; /* other threads took each signal: a waiting thread will get one */
}

static NTSTATUS wait_where_it_is(struct plat_context *self, HANDLE object,
                                 const LARGE_INTEGER *timeout)
{
    (void)self;
    LARGE_INTEGER rest = timeout ? *timeout : no_time;
    return ORIGINAL(NtWaitForSingleObject)(object, FALSE, timeout ? &rest : NULL);
}

struct wait_result object_wait(HANDLE object, BOOLEAN alertable, const LARGE_INTEGER *timeout,
                               const void *caller)
{
    struct plat_context *self = engine_in_place ? call_worker() : NULL;
    struct wait_result result = {.done = false};
    NTSTATUS status = WAIT_STATUS_SUCCESS;
    if (self && !alertable && (intptr_t)object > 0 && ntdll_wait_is_one(self, caller))
        result = ntdll_wait(self, object, timeout, wait_where_it_is);
    if (self && !alertable && (intptr_t)object > 0 && !result.done) {
        result.done = wait_in_user_mode(self, object, timeout, &status);
        result.status = status;
    }
    return result;
}

/* On any thread: a direct waiter would notice late a signal that went to the system alone. */
struct wait_result object_wait_signal(HANDLE signal, HANDLE object)
{
    struct wait_result no = {.done = false};
    uint8_t kind = HANDLE_UNKNOWN, other;
    struct handle_info *info = engine_in_place ? handle_info_of(signal) : NULL;
    if (engine_in_place && call_worker())
        info = handle_info_learn(signal, &kind);
    kind = handle_kind(info);
    if (kind < HANDLE_AUTO)
        return no;
    handle_info_learn(object, &other);
    if (other == HANDLE_UNKNOWN) /* a call that cannot wait must not signal either */
        return no;
    NTSTATUS status = kind == HANDLE_SEMAPHORE ? on_release_semaphore(signal, 1, NULL)
                                               : on_set_event(signal, NULL);
    return (struct wait_result){true, status};
}
