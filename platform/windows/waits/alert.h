/* SPDX-License-Identifier: MIT
 *
 * alert.h - a worker's alert, on which WaitOnAddress, SRW locks, condition variables and critical
 * sections wait: a word in its context instead of one in a kernel thread.
 *
 * An alert is one bit that stays until it is used. All code that waits for one expects that it may
 * be an old one. REAL: the loader starts or ends the thread, which is not a worker then.
 *
 *   NONE     nothing                             alert -> PENDING, wait -> USER or KERNEL
 *   PENDING  sent, no wait has used it yet       wait -> NONE
 *   USER     the worker has left its stack       an alert, the time-out or a cancellation -> NONE:
 *                                                the one that changes it completes the worker
 *   KERNEL   inside the engine: the thread that  alert -> PENDING, and a real alert to that thread;
 *            carries the worker waits really     the end of the wait -> NONE
 *   REAL     alerts go to the thread             alert_begin -> NONE
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_ALERT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_ALERT_H

#include "platform/windows/waits/user_wait.h"

enum alert_word { ALERT_NONE, ALERT_PENDING, ALERT_USER, ALERT_KERNEL, ALERT_REAL };

/* Workers' alerts are words of the engine's: both waiting and alerting could be hooked. Set
 * once. */
extern bool alert_ours;

/* NtWaitForAlertByThreadId. `caller`: the return address of the stub's call. Not done for a thread
 * that is no worker. */
struct wait_result alert_wait(const void *address, const LARGE_INTEGER *timeout,
                              const void *caller);

/* The calling thread begins, or ceases, to be a worker's. */
void alert_begin(struct plat_context *self);
void alert_end(struct plat_context *self);

/* Changes the word from USER to NONE. True: it was USER, and the caller completes the worker. */
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
