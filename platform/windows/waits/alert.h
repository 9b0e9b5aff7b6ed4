/* SPDX-License-Identifier: MIT
 *
 * alert.h - a worker's alert, on which WaitOnAddress, SRW locks, condition variables and critical
 * sections wait: a word in its context instead of one in a kernel thread.
 *
 * An alert is one bit that stays until it is used, and whoever waits for one is prepared for an old
 * one. While a thread's loader starts or ends it, it is no worker yet or any more: REAL.
 *
 *   NONE     nothing                             alert -> PENDING, wait -> USER or KERNEL
 *   PENDING  sent, nobody has waited yet         wait -> NONE
 *   USER     the worker's stack was left for it  whoever changes this word completes the worker: an
 *                                                alert, the time-out, a cancellation, each -> NONE
 *   KERNEL   inside the engine: the thread that  alert -> PENDING, and the real one to that thread;
 *            carries the worker waits really     the end of the wait -> NONE
 *   REAL     alerts go to the thread             alert_begin -> NONE
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_ALERT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_ALERT_H

#include "platform/windows/waits/user_wait.h"

enum alert_word { ALERT_NONE, ALERT_PENDING, ALERT_USER, ALERT_KERNEL, ALERT_REAL };

/* Workers' alerts are ours: both sides could be hooked. Set once. */
extern bool alert_ours;

/* NtWaitForAlertByThreadId. `caller`: where the stub was called from. The result says "not done"
 * for a thread that is no worker. */
struct wait_result alert_wait(const void *address, const LARGE_INTEGER *timeout,
                              const void *caller);

/* Around the time that the thread is a worker; on it. */
void alert_begin(struct plat_context *self);
void alert_end(struct plat_context *self);

/* The word was USER and is NONE: the caller completes the worker. */
static inline bool alert_withdraw(struct plat_context *worker)
{
    uint32_t user = ALERT_USER;
    return atomic_compare_exchange_strong_explicit(&worker->wait.alert, &user, ALERT_NONE,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* The hooks. */
NTSTATUS NTAPI on_alert(HANDLE id);
NTSTATUS NTAPI on_alert_ex(HANDLE id, void *lock);
NTSTATUS NTAPI on_alert_multiple(HANDLE *ids, ULONG count, void *a, void *b);

#endif
