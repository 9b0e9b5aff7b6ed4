/* SPDX-License-Identifier: MIT
 *
 * handoff.h - signals of private events and semaphores, handed to workers in user mode.
 *
 * A worker that waits for a private object is registered on its note as young. Who signals the
 * object and finds young waiters lets them go itself and does not tell the system: a signal that
 * was consumed at once. Where that would not be exact (more signals than waiters, the previous
 * state is wanted, no right to signal) the system gets the signal and the waiters each get a try at
 * it (settle).
 *
 * Nobody is missed. Who signals by the system counts in the note's word afterwards and then looks
 * for young waiters; who registers is counted as young and then looks whether the word is still
 * what it was when he looked at the object. Both by locked instructions: one of them sees the
 * other.
 *
 * Young waiters that a tick or two have passed over are the pool's from then on, like all waiters
 * for objects that are not private.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_HANDOFF_H
#define UMSSHIM_PLATFORM_WINDOWS_HANDOFF_H

#include "platform/windows/notes.h"

#include <winternl.h>

/* All under carry_lock. */
void handoff_remove(struct plat_context *worker);
/* The worker is removed; what its wait has come to now that time is over. */
NTSTATUS handoff_last_look(struct plat_context *worker);
/* Gives the oldest to the pool, if it registered in that tick or before. */
bool handoff_age_one(uint32_t tick);
bool handoff_any(void);
/* One that was given to the pool waits no more. */
static inline void handoff_over(struct plat_context *worker)
{
    if (worker->carry.kind == NOTE_MANUAL)
        atomic_fetch_sub(&worker->carry.note->armed, 1);
}

/* The object of this handle is private no more. Any handle, any thread. */
void handoff_share(HANDLE handle);

/* The hooks. */
NTSTATUS NTAPI on_set_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_reset_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_clear_event(HANDLE event);
NTSTATUS NTAPI on_pulse_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_release_semaphore(HANDLE semaphore, LONG count, LONG *previous);
NTSTATUS NTAPI on_close(HANDLE handle);
NTSTATUS NTAPI on_duplicate_object(HANDLE process, HANDLE source, HANDLE target_process,
                                   HANDLE *target, ACCESS_MASK access, ULONG attributes,
                                   ULONG options);

#endif
