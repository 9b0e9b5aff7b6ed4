/* SPDX-License-Identifier: MIT
 *
 * signal_front.c - the fronts of functions that send signals and change masks, for UMS threads.
 * action_front.c has those that set actions.
 *
 * The library keeps a worker's mask and its pending signals (worker_signals.h). Waits for signals
 * need no front: the filter sees their system calls. Plain threads get libc's functions, but a
 * signal that they send to a worker goes to that worker.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/interrupt/signal_thread.h"
#include "platform/linux/libc/signal_front.h"
#include "platform/linux/libc/signal_scheduler.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"

static int as_libc(int error)
{
    errno = error ? error : errno;
    return error ? -1 : 0;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Sends a signal to the caller itself. If the mask lets it through, it is handled before the call
 * returns. */
static int send_to_self(struct plat_context *self, const siginfo_t *info)
{
    int error = signal_send(self, info, false);
    signals_look(self);
    return error;
}

/* Blocks signals on a plain thread: a handler of its may come here, too, and must not while the
 * thread holds the lock. True: the caller restores them. */
static bool guard_plain(sigset_t *old)
{
    bool plain = !plat_tls.current;
    if (plain)
        signals_block(old);
    return plain;
}

int send_to_thread(struct plat_context *target, const siginfo_t *info)
{
    sigset_t old;
    if (target == plat_tls.current)
        return send_to_self(target, info);
    bool guarded = guard_plain(&old);
    int error = signal_send(target, info, true);
    if (guarded)
        signals_restore(&old);
    return error;
}

int raise(int number)
{
    if (!carried())
        return LIBC(raise)(number);
    if (!number)
        return 0;
    if (!signal_for_programs(number))
        return as_libc(EINVAL);
    siginfo_t info;
    signal_info_tkill(&info, number);
    return as_libc(send_to_self(plat_tls.current, &info));
}

int gsignal(int number)
{
    return carried() ? raise(number) : LIBC(gsignal)(number);
}

/* A pthread_t is the address of its thread's control block. A home that runs handlers is a plain
 * thread, but its thread's context is bound. */
static struct plat_context *context_on(pthread_t thread)
{
    if (!engine_core || !libc_knowledge.handle)
        return NULL;
    const struct plat_tls *tls = tls_at((uintptr_t)thread);
    struct plat_context *context = __atomic_load_n(&tls->current, __ATOMIC_RELAXED);
    struct plat_thread *object = __atomic_load_n(&tls->thread, __ATOMIC_RELAXED);
    return context || !object ? context : __atomic_load_n(&object->context, __ATOMIC_RELAXED);
}

struct plat_context *ums_thread(pthread_t thread)
{
    struct plat_context *target = context_on(thread);
    return target && atomic_load_explicit(&target->signals.listed, memory_order_relaxed) ? target
                                                                                         : NULL;
}

/* Sends to a UMS thread. False: libc is to send it. */
static bool send_for_libc(pthread_t thread, int number, int code, union sigval value, int *error)
{
    struct plat_context *target = signal_for_programs(number) ? context_on(thread) : NULL;
    if (!target)
        return false;
    siginfo_t info;
    signal_info_tkill(&info, number);
    info.si_code = code;
    info.si_value = value;
    const struct plat_context *self = plat_tls.current;
    if (target->is_scheduler && target != self && !scheduler_handles(target, number))
        return signal_to_scheduler(target, &info, error);
    if (!atomic_load_explicit(&target->signals.listed, memory_order_relaxed))
        return false;
    *error = send_to_thread(target, &info);
    if (self && self != target && self->scheduler == target)
        home_signals_hold(target);                   /* its entry point waits for its handler */
    return *error != ESRCH || !target->is_scheduler; /* one that has left is a plain thread */
}

static const union sigval no_value;

int pthread_kill(pthread_t thread, int number)
{
    int error;
    return send_for_libc(thread, number, SI_TKILL, no_value, &error)
               ? error
               : LIBC(pthread_kill)(thread, number);
}

__typeof__(pthread_kill) pthread_kill_2_2_5;
int pthread_kill_2_2_5(pthread_t thread, int number)
{
    int error;
    return send_for_libc(thread, number, SI_TKILL, no_value, &error)
               ? error
               : LIBC_AS(pthread_kill_2_2_5, pthread_kill)(thread, number);
}

int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    int error;
    return send_for_libc(thread, number, SI_QUEUE, value, &error)
               ? error
               : LIBC(pthread_sigqueue)(thread, number, value);
}

/* After a signal to the own process. If the caller has it open and no other thread was faster, the
 * caller handles it before the call returns (POSIX, kill). So it waits until the signal thread has
 * found a thread for it. */
static void settle(int number)
{
    struct plat_context *self = plat_tls.current;
    if (*mask_of(self) & SIGNAL_BIT(number))
        return;
    signals_sync(SIGNAL_BIT(number));
    signals_look(self);
}

static bool names_self(pid_t pid)
{
    pid_t self = own_pid();
    return pid == self || pid == 0 || pid == -1 || pid == -(pid_t)RAW0(SYS_getpgrp);
}

static int send_to_processes(pid_t pid, int number, long nr, siginfo_t *info)
{
    bool own = carried() && signal_for_programs(number) && names_self(pid);
    /* The kernel would hand such a signal to any engine thread, since these leave signals of faults
     * open. */
    if (own && SIGNAL_BIT(number) & SIGNALS_OF_FAULTS && pid == own_pid()) {
        struct plat_context *self = plat_tls.current;
        bool held = *mask_of(self) & SIGNAL_BIT(number);
        if (!held || !signal_to_process(info))
            return as_libc(send_to_self(self, info));
        signals_look(self);
        return 0;
    }
    long r = nr == SYS_kill ? RAW2(nr, pid, number) : RAW3(nr, pid, number, info);
    if (r == 0 && own)
        settle(number);
    return as_libc((int)-r);
}

int kill(pid_t pid, int number)
{
    siginfo_t info;
    if (!carried())
        return LIBC(kill)(pid, number);
    signal_info_tkill(&info, number);
    info.si_code = SI_USER;
    return send_to_processes(pid, number, SYS_kill, &info);
}

int killpg(pid_t group, int number)
{
    if (!carried() || group < 0)
        return LIBC(killpg)(group, number);
    return kill(-group, number);
}

int sigqueue(pid_t pid, int number, const union sigval value)
{
    siginfo_t info;
    if (!carried())
        return LIBC(sigqueue)(pid, number, value);
    signal_info_tkill(&info, number);
    info.si_code = SI_QUEUE;
    info.si_value = value;
    return send_to_processes(pid, number, SYS_rt_sigqueueinfo, &info);
}

/* ---- The mask -------------------------------------------------------------------------------- */

int change_mask(int how, uint64_t set, uint64_t *old)
{
    struct plat_context *self = plat_tls.current;
    uint64_t now = *mask_of(self);
    if (how == SIG_BLOCK)
        set |= now;
    else if (how == SIG_UNBLOCK)
        set = now & ~set;
    else if (how != SIG_SETMASK)
        return EINVAL;
    *old = now;
    if (set != now)
        signals_set_mask(self, set);
    return 0;
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    uint64_t before;
    if (!carried())
        return LIBC(pthread_sigmask)(how, set, old);
    int error = set ? change_mask(how, bits_of(set), &before) : change_mask(SIG_BLOCK, 0, &before);
    if (!error && old) {
        memset(old, 0, sizeof *old);
        memcpy(old, &before, sizeof before);
    }
    return error;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    if (!carried())
        return LIBC(sigprocmask)(how, set, old);
    return as_libc(pthread_sigmask(how, set, old));
}

int sigpending(sigset_t *set)
{
    int error = LIBC(sigpending)(set);
    if (error || !carried())
        return error;
    struct plat_context *self = plat_tls.current;
    signals_enter();
    uint64_t pending = (bits_of(set) | self->signals.pending) & *mask_of(self);
    plat_unlock(&signals_lock);
    memset(set, 0, sizeof *set);
    memcpy(set, &pending, sizeof pending);
    return 0;
}

/* ---- System V's and BSD's words for the mask ------------------------------------------------- */

static int change_one(int how, int number)
{
    uint64_t before;
    if (!signal_for_programs(number))
        return as_libc(EINVAL);
    return as_libc(change_mask(how, SIGNAL_BIT(number), &before));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int sighold(int number)
{
    return carried() ? change_one(SIG_BLOCK, number) : LIBC(sighold)(number);
}

int sigrelse(int number)
{
    return carried() ? change_one(SIG_UNBLOCK, number) : LIBC(sigrelse)(number);
}

/* X/Open's sigpause, which the headers name so. */
FRONT_EXPORT int __xpg_sigpause(int number);
int __xpg_sigpause(int number)
{
    if (!carried())
        return LIBC(__xpg_sigpause)(number);
    if (!signal_for_programs(number))
        return as_libc(EINVAL);
    uint64_t open = *mask_of(plat_tls.current) & ~SIGNAL_BIT(number);
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, &open, sizeof open);
    return sigsuspend(&set);
}

int sigblock(int mask)
{
    uint64_t before;
    if (!carried())
        return LIBC(sigblock)(mask);
    change_mask(SIG_BLOCK, (uint32_t)mask, &before);
    return (int)before;
}

int sigsetmask(int mask)
{
    uint64_t before;
    if (!carried())
        return LIBC(sigsetmask)(mask);
    change_mask(SIG_SETMASK, (uint32_t)mask, &before);
    return (int)before;
}

#pragma GCC diagnostic pop
