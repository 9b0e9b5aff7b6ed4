/* SPDX-License-Identifier: MIT
 *
 * signal_wait.c - calls that wait for a signal or with a mask of their own, and what a signal does to
 * a call that waits.
 *
 * The reactor makes all of this in the worker's name while the worker stands still. A mask that a call
 * brings along becomes the worker's mask; where the call ends by itself the old one comes back at once,
 * where a signal ends it the handlers run first (signals_run), as in the kernel.
 *
 * A wait for signals has no file and no thread behind it, only its call record, listed among the workers:
 * whoever clears `waits_signal` under signals_lock completes it. A time-out that is firing already is
 * left to complete it (`handed`), because it still looks at the record.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "platform/linux/call_kit.h"
#include "platform/linux/copy.h"
#include "platform/linux/raw.h"
#include "platform/linux/worker_signals.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* ---- Masks of calls ---------------------------------------------------------------------------------- */

/* Where the call has its mask: 0 none. Takes it away, so that nobody else looks at it. */
static int take_mask(struct call *call, uint64_t *mask)
{
    long *a = call->args;
    struct {
        long mask, size;
    } pair = {0, 8};
    int at;
    switch (call->entry->nr) {
    case SYS_rt_sigsuspend:
        at = 0;
        break;
    case SYS_ppoll:
        at = 3;
        break;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        at = 4;
        break;
    case SYS_pselect6:
        if (a[5] && copy_in(&pair, (void *)a[5], sizeof pair))
            return -EFAULT;
        a[5] = 0;
        at = -1;
        break;
    default:
        return 0;
    }
    if (at >= 0) {
        pair.mask = a[at];
        pair.size = a[at + 1];
        if (at)
            a[at] = 0;
    }
    if (!pair.mask && at)
        return 0;
    if (pair.size != 8)
        return -EINVAL;
    return copy_in(mask, (void *)pair.mask, 8) ? -EFAULT : 1;
}

int call_mask_begin(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    uint64_t mask;
    int r = take_mask(call, &mask);
    if (r <= 0)
        return r;
    uint64_t opened = *mask_of(worker) & ~mask;
    if (opened)
        signals_collect(worker, opened);
    plat_lock(&signals_lock);
    worker->signals.saved_mask = *mask_of(worker);
    worker->signals.has_saved = true;
    mask_change(worker, mask);
    bool changed = signals_wanted() != signals_active;
    plat_unlock(&signals_lock);
    call->masked = true;
    if (changed)
        signals_poke();
    return 0;
}

void call_mask_end(struct call *call, long result)
{
    struct plat_context *worker = call_worker(call);
    if (!call->masked)
        return;
    call->masked = false;
    if (call->interrupted && result == -EINTR)
        return;
    uint64_t opened = *mask_of(worker) & ~worker->signals.saved_mask;
    if (opened)
        signals_collect(worker, opened);
    plat_lock(&signals_lock);
    worker->signals.has_saved = false;
    mask_change(worker, worker->signals.saved_mask);
    bool changed = signals_wanted() != signals_active;
    plat_unlock(&signals_lock);
    if (changed)
        signals_poke();
}

/* ---- Waits for signals ----------------------------------------------------------------------------------- */

static enum outcome attempt_signal(struct call *call)
{
    call->wait_set = 0;
    return CALL_SIGNAL;
}

const struct call_ops ops_signal = {attempt_signal, 0, NULL, NULL, NULL};

/* Set 0, information 1, time 2, size 3. */
static enum outcome attempt_sigtimedwait(struct call *call)
{
    static const struct timespec no_time;
    struct plat_context *worker = call_worker(call);
    long *a = call->args;
    siginfo_t info;
    if (a[3] != 8)
        return call_done(call, -EINVAL);
    if (copy_in(&call->wait_set, (void *)a[0], 8))
        return call_done(call, -EFAULT);
    call->wait_set &= ~SIGNALS_UNTOUCHED;
    int error = deadline_after(call, (void *)a[2]);
    if (error)
        return call_done(call, error);
    plat_lock(&signals_lock);
    bool found = signal_dequeue(worker, call->wait_set, &info);
    plat_unlock(&signals_lock);
    long r = found ? info.si_signo
                   : RAW4(SYS_rt_sigtimedwait, &call->wait_set, &info, &no_time, 8);
    if (r > 0 && a[1] && copy_out((void *)a[1], &info, sizeof info))
        return call_done(call, -EFAULT);
    if (r != -EAGAIN)
        return call_done(call, r);
    return call->deadline <= plat_now() ? call_done(call, -EAGAIN) : CALL_SIGNAL;
}

const struct call_ops ops_sigtimedwait = {attempt_sigtimedwait, 0, NULL, NULL, NULL};

static void time_over(struct plat_timer *timer)
{
    struct call *call = (struct call *)((char *)timer - offsetof(struct call, timer));
    plat_lock(&signals_lock);
    bool handed = call->handed, mine = handed || call->waits_signal;
    long result = handed ? call->result : -EAGAIN;
    if (call->waits_signal)
        waiting_change(call->wait_set, -1);
    call->handed = call->waits_signal = false;
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, result);
}

void signal_wait_start(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    siginfo_t info;
    bool mine = false;
    plat_lock(&signals_lock);
    call->handed = false;
    call->waits_signal = true;
    waiting_change(call->wait_set, 1);
    if (call->deadline != PLAT_FOREVER) {
        call->timer.deadline = call->deadline;
        call->timer.fire = time_over;
        timer_add(&call->timer);
    }
    /* What came between the attempt and now. */
    if (signal_dequeue(worker, call->wait_set, &info)) {
        int error = call->args[1] ? copy_out((void *)call->args[1], &info, sizeof info) : 0;
        mine = signal_wait_decide(call, error ? error : info.si_signo);
    } else if (signals_due(worker)) {
        call->interrupted = true;
        mine = signal_wait_decide(call, -EINTR);
    }
    bool grown = signals_wanted() & ~signals_active;
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, call->result);
    if (grown)
        signals_poke();
}

bool signal_wait_decide(struct call *call, long result)
{
    if (!call->waits_signal)
        return false;
    call->waits_signal = false;
    waiting_change(call->wait_set, -1);
    call->result = result;
    call->handed = call->deadline != PLAT_FOREVER && !timer_cancel(&call->timer);
    return !call->handed;
}

bool signal_wait_cancel(struct call *call)
{
    plat_lock(&signals_lock);
    if (call->waits_signal)
        call->interrupted = true;
    bool mine = signal_wait_decide(call, -EINTR);
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, call->result);
    return mine;
}

/* ---- What a signal does to a call: signal(7) --------------------------------------------------------------- */

/* How much of a sleep is left. */
static void tell_remainder(struct call *call)
{
    long *a = call->args;
    bool plain = call->entry->nr == SYS_nanosleep;
    long where = plain ? a[1] : call->entry->nr == SYS_clock_nanosleep && !(a[1] & 1) ? a[3] : 0;
    if (call->how != CALL_TIMER || !where)
        return;
    uint64_t now = plat_now(), left = call->deadline > now ? call->deadline - now : 0;
    int64_t ts[2] = {(int64_t)(left / 1000000000u), (int64_t)(left % 1000000000u)};
    copy_out((void *)where, ts, sizeof ts);
}

void call_interrupt(struct call *call)
{
    if (call->progress) {
        call_complete(call, call->progress);
        return;
    }
    tell_remainder(call);
    call->interrupted = true;
    call_complete(call, -EINTR);
}

bool call_interruptible(const struct call *call)
{
    switch (call->entry->nr) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
        return !fd_is_regular((int)call->args[0]);
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_sync_file_range:
    case SYS_msync:
    case SYS_copy_file_range:
    case -1: /* home_function_call */
        return false;
    default:
        return true;
    }
}

bool call_restarts(const struct call *call)
{
    struct call limit = {.deadline = PLAT_FOREVER};
    switch (call->entry->nr) {
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
        return false;
    case SYS_futex:
    case SYS_futex_waitv:
        return call->deadline == PLAT_FOREVER;
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
        deadline_of_socket(&limit, (int)call->args[0], SO_RCVTIMEO);
        return limit.deadline == PLAT_FOREVER;
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_connect:
        deadline_of_socket(&limit, (int)call->args[0], SO_SNDTIMEO);
        return limit.deadline == PLAT_FOREVER;
    default:
        return true;
    }
}
