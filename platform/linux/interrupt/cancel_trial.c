/* SPDX-License-Identifier: MIT
 *
 * cancel_trial.c - whether libc's cancellation works the way in which signal_run.c uses it.
 *
 * signal_run.c calls libc's handler of the signal that libc cancels by, on a worker, with the
 * context in which its system call was interrupted: as if the call were about to be made. From 2.36
 * on glibc unwinds the stack then, in two ways: until 2.40 a thread in such a call may be cancelled
 * anywhere; from 2.41 on the handler compares the interrupted place with the one system call for
 * all that can be cancelled.
 *
 * The trial does the same on a plain thread, once, before the first worker is cancelled:
 *
 *   the subject   blocks every signal, sends itself the stop signal, and unblocks that by libc's
 *                 sigsuspend, a cancellation point: so the signal always comes in that call
 *   its handler   (on_stop) waits until the tester has cancelled the subject, then calls libc's
 *                 handler
 *   the tester    joins the subject, which must be cancelled, and libc's handler must not return
 *
 * The handler also notes the place: from 2.41 on it is that one system call, whose function looks
 * for a cancellation when the call returns -EINTR.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/platform.h"

enum { BEGUN, IN_THE_CALL, CANCELLED, HANDLER_RETURNED };

struct trial {
    _Atomic uint32_t step; /* futex; subject and tester take turns */
    uintptr_t subject;     /* its thread pointer; written before it is published */
    int number;            /* the signal by which libc cancels, as far as we know */
};

static _Atomic(struct trial *) under_way; /* one at a time, made by the broker thread */
static _Atomic int verdict;               /* 0 not tried, 1 the way is known, 2 it is not */
static _Atomic uintptr_t looks_at;        /* behind the subject's `syscall` */

static void step_to(struct trial *trial, uint32_t step)
{
    atomic_store_explicit(&trial->step, step, memory_order_release);
    futex_wake(&trial->step, 1);
}

bool cancellation_trial(ucontext_t *interrupted)
{
    struct trial *trial = atomic_load_explicit(&under_way, memory_order_acquire);
    if (!trial || trial->subject != thread_pointer())
        return false;
    greg_t *registers = interrupted->uc_mcontext.gregs;
    struct kernel_action action;
    siginfo_t info;
    atomic_store_explicit(&looks_at, (uintptr_t)registers[REG_RIP], memory_order_relaxed);
    step_to(trial, IN_THE_CALL);
    while (atomic_load_explicit(&trial->step, memory_order_acquire) != CANCELLED)
        futex_wait(&trial->step, IN_THE_CALL);
    signal_info_tkill(&info, trial->number);
    if (signal_action(trial->number, &action) && action.handler != (void *)SIG_DFL) {
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = SYS_rt_sigsuspend;
        ((void (*)(int, siginfo_t *, void *))action.handler)(trial->number, &info, interrupted);
        registers[REG_RIP] += 2;
        registers[REG_RAX] = -EINTR;
    }
    atomic_store_explicit(&trial->step, HANDLER_RETURNED, memory_order_release);
    /* libc's own signal is pending still. Unblocks it, so that the kernel delivers it: libc could
     * wait for that for ever. */
    memset(&interrupted->uc_sigmask, 0, sizeof interrupted->uc_sigmask);
    return true;
}

static void *subject_main(void *arg)
{
    kthread_name("ums:trial");
    struct trial *trial = arg;
    uint64_t every = ~0ull, but_stop = ~SIGNAL_BIT(stop_signal);
    sigset_t open;
    memset(&open, 0, sizeof open);
    memcpy(&open, &but_stop,
           sizeof but_stop); /* libc's functions leave its own signals out of a set */
    trial->subject = thread_pointer();
    atomic_store_explicit(&under_way, trial, memory_order_release);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &every, 0, 8);
    RAW3(SYS_tgkill, own_pid(), own_tid(), stop_signal);
    sigsuspend(&open);
    return NULL;
}

static void try_it(void *unused)
{
    (void)unused;
    struct trial trial = {.number = trial_misled("cancel") ? stop_signal + 1 : SIGNAL_CANCEL};
    pthread_t subject;
    void *result = NULL;
    if (atomic_load_explicit(&verdict, memory_order_relaxed) || !stop_signal)
        return;
    if (program_kthread_create(&subject, 64 << 10, subject_main, &trial))
        return; /* no thread can be made now: the next cancellation tries again */
    while (atomic_load_explicit(&trial.step, memory_order_acquire) != IN_THE_CALL)
        futex_wait(&trial.step, BEGUN);
    LIBC(pthread_cancel)(subject);
    step_to(&trial, CANCELLED);
    libc_thread_join(subject, &result);
    atomic_store_explicit(&under_way, NULL, memory_order_relaxed);
    bool known = result == PTHREAD_CANCELED &&
                 atomic_load_explicit(&trial.step, memory_order_relaxed) == CANCELLED;
    if (!known)
        plat_log(
            "this C library cancels threads in a way that is not known here: pthread_cancel of a "
            "worker fails with ENOTSUP");
    atomic_store_explicit(&verdict, known ? 1 : 2, memory_order_release);
}

bool cancellation_known(void)
{
    if (UMS_UNLIKELY(!atomic_load_explicit(&verdict, memory_order_acquire)))
        broker_run(try_it, NULL);
    return atomic_load_explicit(&verdict, memory_order_acquire) != 2;
}

bool cancellation_looks(const void *behind)
{
    return (uintptr_t)behind == atomic_load_explicit(&looks_at, memory_order_relaxed);
}
