/* SPDX-License-Identifier: MIT
 *
 * cancel_front.c - libc's cancellation of a thread, where that thread is a worker.
 *
 * libc marks the target's control block as cancelled, and sends a signal to the target's kernel
 * thread. Its handler unwinds the stack, or leaves that to the next cancellation point: it decides
 * by the thread's cancellation state and type, and by the interrupted place. A worker's kernel
 * thread is its home, which is parked and keeps that signal blocked. So the library queues the same
 * signal at the worker once libc has set the mark. That ends the worker's system call, and libc's
 * own handler runs on the worker, at the place that was interrupted there (signal_run.c).
 *
 * The library queues nothing while the worker has cancellation disabled, as libc sends nothing
 * then. Canceller and worker each write and then read, sequentially consistent. The canceller
 * writes libc's mark and `cancelled`, and reads `uncancellable`. A worker that enables cancellation
 * clears `uncancellable`, and reads the mark at the next cancellation point. So one of the two sees
 * the other's write.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <pthread.h>
#pragma GCC visibility pop

#include "platform/linux/libc/signal_front.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"

int pthread_cancel(pthread_t thread)
{
    /* Looked up first: libc's function may end the target, and its context with it. */
    struct plat_context *target = ums_thread(thread);
    if (!target || target->is_scheduler)
        return LIBC(pthread_cancel)(thread);
    if (target != plat_tls.current && !cancellation_known())
        return ENOTSUP;
    atomic_store(&target->signals.cancelled, true);
    int error = LIBC(pthread_cancel)(thread);
    /* EAGAIN: the user's queue of signals is full. By then libc has noted that the thread is
     * cancelled, and its own signal is only for the parked home. The worker's signal is sent
     * below. */
    if (error == EAGAIN)
        error = 0;
    target = error ? NULL : ums_thread(thread);
    if (!target || target == plat_tls.current || atomic_load(&target->signals.uncancellable))
        return error;
    siginfo_t info;
    signal_info_tkill(&info, SIGNAL_CANCEL);
    send_to_thread(target, &info); /* it fails only where the worker has ended */
    return 0;
}

int pthread_setcancelstate(int state, int *old)
{
    struct plat_context *self = plat_tls.current;
    int error = LIBC(pthread_setcancelstate)(state, old);
    if (!error && self && !self->is_scheduler)
        atomic_store(&self->signals.uncancellable, state == PTHREAD_CANCEL_DISABLE);
    return error;
}
