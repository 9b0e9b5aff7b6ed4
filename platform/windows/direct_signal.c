/* SPDX-License-Identifier: MIT
 *
 * direct_signal.c - see direct_signal.h.
 */
#include "platform/windows/direct_signal.h"

#include "platform/windows/agenda.h"
#include "platform/windows/call.h"
#include "platform/windows/carry.h"
#include "platform/windows/direct_waiters.h"
#include "platform/windows/inplace.h"

enum { CLOSE_SOURCE = 1 };

/* ---- Signals that the system gets ------------------------------------------------------------ */

static void signalled(struct note *note, HANDLE handle)
{
    uint32_t word = atomic_load_explicit(&note->word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&note->word, &word,
                                         (word & ~(uint32_t)NOTE_EMPTY) + NOTE_SIGNAL))
        ;
    if (UMS_LIKELY(!atomic_load(&note->young)))
        return;
    struct plat_context *self = carry_hold();
    plat_lock(&carry_lock);
    struct plat_context *chain = direct_settle(note, handle);
    plat_unlock(&carry_lock);
    carry_complete(chain);
    carry_release(self);
}

/* ---- Handing over ---------------------------------------------------------------------------- */

static bool is_private(const struct note *note)
{
    return note_kind(note) >= NOTE_AUTO;
}

static bool hand_over(struct note *note, uint32_t count)
{
    struct plat_context *self = carry_hold(), *chain = NULL;
    plat_lock(&carry_lock);
    if (atomic_load_explicit(&note->young, memory_order_relaxed) >= count)
        chain = direct_take_some(note, count);
    plat_unlock(&carry_lock);
    carry_complete(chain);
    carry_release(self);
    return chain != NULL;
}

/* All who wait now, when the system has been told; not who comes meanwhile. */
static NTSTATUS release_all(struct note *note, NTSTATUS (*tell)(HANDLE, LONG *), HANDLE event,
                            LONG *previous)
{
    struct plat_context *self = carry_hold();
    plat_lock(&carry_lock);
    struct plat_context *chain = direct_take_some(note, UINT32_MAX);
    plat_unlock(&carry_lock);
    NTSTATUS status = tell(event, previous);
    carry_complete(chain);
    carry_release(self);
    return status;
}

static bool may_hand_over(const struct note *note, const LONG *previous)
{
    return !previous && note->may_signal && atomic_load(&note->young);
}

NTSTATUS NTAPI on_set_event(HANDLE event, LONG *previous)
{
    struct note *note = note_of(event);
    uint8_t kind = note_kind(note);
    NTSTATUS status;
    if (UMS_LIKELY(kind != NOTE_AUTO && kind != NOTE_MANUAL))
        return ORIGINAL_OF(NtSetEvent)(event, previous);
    if (kind == NOTE_AUTO && may_hand_over(note, previous) && hand_over(note, 1))
        return CARRY_STATUS_SUCCESS;
    if (kind == NOTE_MANUAL && note->may_signal && atomic_load(&note->young))
        status = release_all(note, ORIGINAL_OF(NtSetEvent), event, previous);
    else
        status = ORIGINAL_OF(NtSetEvent)(event, previous);
    signalled(note, event);
    return status;
}

NTSTATUS NTAPI on_release_semaphore(HANDLE semaphore, LONG count, LONG *previous)
{
    struct note *note = note_of(semaphore);
    if (UMS_LIKELY(note_kind(note) != NOTE_SEMAPHORE))
        return ORIGINAL_OF(NtReleaseSemaphore)(semaphore, count, previous);
    if (count > 0 && count <= note->maximum && may_hand_over(note, previous) &&
        hand_over(note, (uint32_t)count))
        return CARRY_STATUS_SUCCESS;
    NTSTATUS status = ORIGINAL_OF(NtReleaseSemaphore)(semaphore, count, previous);
    signalled(note, semaphore);
    return status;
}

/* Who waits is let go by a signal that came before, if there was one. */
static void settle_before(struct note *note, HANDLE event)
{
    if (!atomic_load(&note->young))
        return;
    struct plat_context *self = carry_hold();
    plat_lock(&carry_lock);
    struct plat_context *chain = direct_settle(note, event);
    plat_unlock(&carry_lock);
    carry_complete(chain);
    carry_release(self);
}

/* After what is known to leave it so. word: from before. */
static void is_empty(struct note *note, uint32_t word)
{
    atomic_compare_exchange_strong(&note->word, &word, word | NOTE_EMPTY);
}

/* The event is set and will be reset at once. Threads that wait would all have been let go; the
 * pool may wait for many with one thread, which comes round to each: so it is given the time. */
static void let_pool_see(struct note *note)
{
    enum { PATIENCE_NS = 200000000 };
    uint64_t end = plat_now() + PATIENCE_NS;
    while (atomic_load(&note->armed) && plat_now() < end)
        SwitchToThread();
}

static NTSTATUS reset(HANDLE event, LONG *previous, bool clear)
{
    struct note *note = note_of(event);
    bool ours = is_private(note);
    uint32_t word = ours ? atomic_load(&note->word) : 0;
    if (ours && !(word & NOTE_EMPTY))
        settle_before(note, event);
    if (ours && atomic_load(&note->armed) && direct_try(event) == CARRY_STATUS_SUCCESS)
        let_pool_see(note);
    NTSTATUS status =
        clear ? ORIGINAL_OF(NtClearEvent)(event) : ORIGINAL_OF(NtResetEvent)(event, previous);
    if (ours && status == CARRY_STATUS_SUCCESS)
        is_empty(note, word);
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
    struct note *note = note_of(event);
    uint8_t kind = note_kind(note);
    if (UMS_LIKELY(kind != NOTE_AUTO && kind != NOTE_MANUAL) || !note->may_signal)
        return ORIGINAL_OF(NtPulseEvent)(event, previous);
    if (kind == NOTE_MANUAL && atomic_load(&note->armed)) {
        NTSTATUS status = on_set_event(event, previous);
        return status ? status : on_reset_event(event, NULL);
    }
    if (!atomic_load(&note->young))
        return ORIGINAL_OF(NtPulseEvent)(event, previous);
    settle_before(note, event);
    if (kind == NOTE_MANUAL)
        return release_all(note, ORIGINAL_OF(NtPulseEvent), event, previous);
    if (!previous && hand_over(note, 1))
        return CARRY_STATUS_SUCCESS;
    return ORIGINAL_OF(NtPulseEvent)(event, previous);
}

/* ---- Handles that go, or multiply ------------------------------------------------------------ */

/* To another kind; waiters go to the pool while the handle is still good. */
static void change(struct note *note, uint8_t kind)
{
    bool kick = false;
    struct plat_context *self = carry_hold();
    atomic_store(&note->kind, kind);
    if (atomic_load(&note->young)) {
        plat_lock(&carry_lock);
        while (note->first)
            kick |= direct_to_pool(note->first);
        plat_unlock(&carry_lock);
    }
    if (kick)
        agenda_kick();
    carry_release(self);
}

void direct_share(HANDLE handle)
{
    struct note *note = note_of(handle);
    if (UMS_UNLIKELY(is_private(note)))
        change(note, NOTE_OTHER);
}

static void forget(HANDLE handle)
{
    struct note *note = note_of(handle);
    if (!note)
        return;
    atomic_fetch_add_explicit(&note->closes, 1, memory_order_relaxed);
    if (note_kind(note) != NOTE_NONE)
        change(note, NOTE_NONE);
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
        inplace_go_home(self); /* its thread's own handle */
    if (options & CLOSE_SOURCE)
        forget(source);
    else
        direct_share(source);
    return ORIGINAL_OF(NtDuplicateObject)(process, source, target_process, target, access,
                                          attributes, options);
}
