/* SPDX-License-Identifier: MIT
 *
 * direct_signal.c - see direct_signal.h.
 */
#include "platform/windows/waits/direct_signal.h"

#include "platform/windows/switch/arrivals.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/user_wait.h"

enum { CLOSE_SOURCE = 1 };

/* ---- Signals that the system gets ------------------------------------------------------------ */

static void signalled(struct handle_info *info, HANDLE handle)
{
    uint32_t word = atomic_load_explicit(&info->word, memory_order_relaxed);
    plat_written(info);
    while (!atomic_compare_exchange_weak(&info->word, &word,
                                         (word & ~(uint32_t)INFO_EMPTY) + INFO_SIGNAL))
        ;
    if (UMS_LIKELY(!atomic_load(&info->direct)))
        return;
    struct plat_context *self = user_wait_hold();
    plat_lock(&info->lock);
    struct plat_context *chain = direct_settle(info, handle);
    plat_unlock(&info->lock);
    direct_complete(chain);
    user_wait_release(self);
}

/* ---- Handing over ---------------------------------------------------------------------------- */

static bool is_private(const struct handle_info *info)
{
    return handle_kind(info) >= HANDLE_AUTO;
}

static bool hand_over(struct handle_info *info, uint32_t count)
{
    struct plat_context *self = user_wait_hold(), *chain = NULL;
    plat_lock(&info->lock);
    if (atomic_load_explicit(&info->direct, memory_order_relaxed) >= count)
        chain = direct_take_some(info, count);
    plat_unlock(&info->lock);
    direct_complete(chain);
    user_wait_release(self);
    return chain != NULL;
}

/* Tells the system, and then lets all workers go that waited before; not those that come
 * meanwhile. */
static NTSTATUS release_all(struct handle_info *info, NTSTATUS (*tell)(HANDLE, LONG *),
                            HANDLE event, LONG *previous)
{
    struct plat_context *self = user_wait_hold();
    plat_lock(&info->lock);
    struct plat_context *chain = direct_take_some(info, UINT32_MAX);
    plat_unlock(&info->lock);
    NTSTATUS status = tell(event, previous);
    direct_complete(chain);
    user_wait_release(self);
    return status;
}

static bool may_hand_over(const struct handle_info *info, const LONG *previous)
{
    return !previous && info->may_signal && atomic_load(&info->direct);
}

NTSTATUS NTAPI on_set_event(HANDLE event, LONG *previous)
{
    struct handle_info *info = handle_info_of(event);
    uint8_t kind = handle_kind(info);
    NTSTATUS status;
    arrives(ARRIVAL_SIGNAL);
    if (UMS_LIKELY(kind != HANDLE_AUTO && kind != HANDLE_MANUAL))
        return ORIGINAL_OF(NtSetEvent)(event, previous);
    if (kind == HANDLE_AUTO && may_hand_over(info, previous) && hand_over(info, 1))
        return WAIT_STATUS_SUCCESS;
    if (kind == HANDLE_MANUAL && info->may_signal && atomic_load(&info->direct))
        status = release_all(info, ORIGINAL_OF(NtSetEvent), event, previous);
    else
        status = ORIGINAL_OF(NtSetEvent)(event, previous);
    signalled(info, event);
    return status;
}

/* Sets the event and raises the woken kernel thread's priority. A direct waiter has no such thread,
 * so for a private event the hook only sets it. */
NTSTATUS NTAPI on_set_event_boost_priority(HANDLE event)
{
    return is_private(handle_info_of(event)) ? on_set_event(event, NULL)
                                             : ORIGINAL_OF(NtSetEventBoostPriority)(event);
}

NTSTATUS NTAPI on_release_semaphore(HANDLE semaphore, LONG count, LONG *previous)
{
    struct handle_info *info = handle_info_of(semaphore);
    if (UMS_LIKELY(handle_kind(info) != HANDLE_SEMAPHORE))
        return ORIGINAL_OF(NtReleaseSemaphore)(semaphore, count, previous);
    if (count > 0 && count <= info->maximum && may_hand_over(info, previous) &&
        hand_over(info, (uint32_t)count))
        return WAIT_STATUS_SUCCESS;
    NTSTATUS status = ORIGINAL_OF(NtReleaseSemaphore)(semaphore, count, previous);
    signalled(info, semaphore);
    return status;
}

/* Gives a signal that is already there to the first waiters, before it is taken away. */
static void settle_before(struct handle_info *info, HANDLE event)
{
    if (!atomic_load(&info->direct))
        return;
    struct plat_context *self = user_wait_hold();
    plat_lock(&info->lock);
    struct plat_context *chain = direct_settle(info, event);
    plat_unlock(&info->lock);
    direct_complete(chain);
    user_wait_release(self);
}

/* Notes that the object is not signalled, after a call that leaves it so. `word` was read before
 * it. */
static void is_empty(struct handle_info *info, uint32_t word)
{
    plat_written(info);
    atomic_compare_exchange_strong(&info->word, &word, word | INFO_EMPTY);
}

/* The event is set, and the caller will reset it at once. Threads that wait for it themselves have
 * been let go by then. But one thread of the pool may wait for many workers, one after the other:
 * this gives it the time. */
static void let_pool_see(struct handle_info *info)
{
    enum { PATIENCE_NS = 200000000 };
    uint64_t end = plat_now() + PATIENCE_NS;
    while (atomic_load(&info->armed) && plat_now() < end)
        SwitchToThread();
}

static NTSTATUS reset(HANDLE event, LONG *previous, bool clear)
{
    struct handle_info *info = handle_info_of(event);
    bool ours = is_private(info);
    uint32_t word = ours ? atomic_load(&info->word) : 0;
    if (ours && !(word & INFO_EMPTY))
        settle_before(info, event);
    if (ours && atomic_load(&info->armed) && direct_try(event) == WAIT_STATUS_SUCCESS)
        let_pool_see(info);
    NTSTATUS status =
        clear ? ORIGINAL_OF(NtClearEvent)(event) : ORIGINAL_OF(NtResetEvent)(event, previous);
    if (ours && status == WAIT_STATUS_SUCCESS)
        is_empty(info, word);
    return status;
}

NTSTATUS NTAPI on_reset_event(HANDLE event, LONG *previous)
{
    return reset(event, previous, false);
}

NTSTATUS NTAPI on_clear_event(HANDLE event)
{
    return reset(event, NULL, true);
}

NTSTATUS NTAPI on_pulse_event(HANDLE event, LONG *previous)
{
    struct handle_info *info = handle_info_of(event);
    uint8_t kind = handle_kind(info);
    if (UMS_LIKELY(kind != HANDLE_AUTO && kind != HANDLE_MANUAL) || !info->may_signal)
        return ORIGINAL_OF(NtPulseEvent)(event, previous);
    if (kind == HANDLE_MANUAL && atomic_load(&info->armed)) {
        NTSTATUS status = on_set_event(event, previous);
        return status ? status : on_reset_event(event, NULL);
    }
    if (!atomic_load(&info->direct))
        return ORIGINAL_OF(NtPulseEvent)(event, previous);
    settle_before(info, event);
    if (kind == HANDLE_MANUAL)
        return release_all(info, ORIGINAL_OF(NtPulseEvent), event, previous);
    if (!previous && hand_over(info, 1))
        return WAIT_STATUS_SUCCESS;
    return ORIGINAL_OF(NtPulseEvent)(event, previous);
}

/* ---- Handles that go, or multiply ------------------------------------------------------------ */

/* Gives the record another kind. Its direct waiters go to the pool while the handle is still
 * good. */
static void change(struct handle_info *info, uint8_t kind)
{
    bool wake = false;
    struct plat_context *self = user_wait_hold();
    atomic_store(&info->kind, kind);
    if (atomic_load(&info->direct)) {
        plat_lock(&wait_lock);
        plat_lock(&info->lock);
        while (info->first)
            wake |= direct_to_pool(info->first);
        plat_unlock(&info->lock);
        plat_unlock(&wait_lock);
    }
    if (wake)
        agenda_wake();
    user_wait_release(self);
}

void direct_share(HANDLE handle)
{
    struct handle_info *info = handle_info_of(handle);
    if (UMS_UNLIKELY(is_private(info)))
        change(info, HANDLE_OTHER);
}

static void forget(HANDLE handle)
{
    struct handle_info *info = handle_info_of(handle);
    if (!info)
        return;
    atomic_fetch_add_explicit(&info->closes, 1, memory_order_relaxed);
    if (handle_kind(info) != HANDLE_UNKNOWN)
        change(info, HANDLE_UNKNOWN);
}

NTSTATUS NTAPI on_close(HANDLE handle)
{
    forget(handle);
    return ORIGINAL_OF(NtClose)(handle);
}

/* A handle of another process may have the value of one of ours: that does no harm. */
NTSTATUS NTAPI on_duplicate_object(HANDLE process, HANDLE source, HANDLE target_process,
                                   HANDLE *target, ACCESS_MASK access, ULONG attributes,
                                   ULONG options)
{
    struct plat_context *self = source == (HANDLE)(LONG_PTR)-2 ? call_worker() : NULL;
    if (self)
        inplace_go_home(self); /* the handle is that of the calling thread */
    if (options & CLOSE_SOURCE)
        forget(source);
    else
        direct_share(source);
    return ORIGINAL_OF(NtDuplicateObject)(process, source, target_process, target, access,
                                          attributes, options);
}
