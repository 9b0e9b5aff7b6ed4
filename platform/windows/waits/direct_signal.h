/* SPDX-License-Identifier: MIT
 *
 * direct_signal.h - signals of private events and semaphores, given to workers in user mode.
 *
 * A thread that signals the object and finds direct waiters (direct_waiters.h) lets them go itself
 * and does not tell the system: they consume the signal at once. Sometimes that would not be exact:
 * there are more signals than waiters, the caller wants the previous state, or it has no right to
 * signal. Then the system gets the signal, and each waiter tries to take it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_SIGNAL_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_SIGNAL_H

#include <windows.h>
#include <winternl.h>

/* The object of this handle, if it was private, is so no more. Any handle, any thread. */
void direct_share(HANDLE handle);

/* The hooks. */
NTSTATUS NTAPI on_set_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_set_event_boost_priority(HANDLE event);
NTSTATUS NTAPI on_reset_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_clear_event(HANDLE event);
NTSTATUS NTAPI on_pulse_event(HANDLE event, LONG *previous);
NTSTATUS NTAPI on_release_semaphore(HANDLE semaphore, LONG count, LONG *previous);
NTSTATUS NTAPI on_close(HANDLE handle);
NTSTATUS NTAPI on_duplicate_object(HANDLE process, HANDLE source, HANDLE target_process,
                                   HANDLE *target, ACCESS_MASK access, ULONG attributes,
                                   ULONG options);

#endif
