/* SPDX-License-Identifier: MIT
 *
 * direct_signal.h - signals of private events and semaphores, given to workers in user mode.
 *
 * A thread that signals the object and finds direct waiters (direct_waiters.h) lets them go itself
 * and does not tell the system: a signal that was consumed at once. Where that would not be exact
 * (more signals than waiters, the previous state is wanted, no right to signal) the system gets the
 * signal and the waiters each get a try at it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_SIGNAL_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_SIGNAL_H

#include <windows.h>
#include <winternl.h>

/* The object of this handle is private no more. Any handle, any thread. */
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
