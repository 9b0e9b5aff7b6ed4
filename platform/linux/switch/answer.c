/* SPDX-License-Identifier: MIT
 *
 * answer.c - answering the notification in which a carrier stands, once.
 *
 * The lock of that carrier covers all of it.
 */
#include <errno.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/signals/worker_signals.h"

void carrier_release(struct carrier *carrier)
{
    enum { RESTART = 512 }; /* the kernel's ERESTARTSYS */
    struct call *call = carrier->standing;
    if (!call || call->withdrawn ||
        !atomic_load_explicit(&carrier->signal_due, memory_order_acquire))
        return;
    call->withdrawn = true;
    if (engine_caps.killable)
        notify_answer(carrier->lane->listener, call->notif_id, -RESTART);
}

/* Lets the carrier that waits in this call go on with its result. From the ioctl on, its worker runs
 * and may make its next call.
 *
 * A signal can withdraw a notification: on kernels without killable ones any (stop and continue, a
 * debugger, a freezer), elsewhere only ours (carrier_release). The kernel then makes the same call anew
 * under another id. It must not be carried out twice. The lock decides which came first: the restart,
 * whose id we then answer, or our answer, which got lost; then `delivered` stays set and the reactor
 * answers the restart.
 *
 * A worker that has handlers to run, or is to be stopped, gets the stop signal with the answer. Where a received notification
 * stays, the signal is pending until the answer, and comes before anything of the program's runs.
 * Elsewhere it withdraws the notification, and its handler gives the result instead (stop.c). */
/* A worker whose block is taken back may have been suspended while it was BLOCKED: the
 * thread that suspends it leaves a blocked one alone. */
static bool to_be_stopped(struct plat_context *worker)
{
    enum plat_nudge nudge = engine_core->worker_nudge(worker);
    return nudge == NUDGE_SIGNAL || nudge == NUDGE_END;
}

static bool give_answer(struct call *call, struct carrier *waiting)
{
    struct plat_context *worker = call_worker(call);
    bool interrupt =
        UMS_UNLIKELY(signals_due(worker) || call->interrupted || to_be_stopped(worker));
    bool by_signal = interrupt && !engine_caps.killable;
    call->by_signal = by_signal; /* the handler lowers it, and the worker makes its next call */
    if (interrupt)
        RAW3(SYS_tgkill, RAW0(SYS_getpid), waiting->tid, stop_signal);
    if (by_signal)
        return true;
    return notify_answer(waiting->lane->listener, call->notif_id, call->result) == 0 ||
           engine_caps.killable;
}

/* Once the answer is given the call's record is not ours: the worker runs, and its next call may be made on
 * another carrier, under another lock. So all is written before, and only for an answer that got lost, with
 * which nobody went on, after it. */
void call_deliver(struct call *call, struct carrier *waiting)
{
    call->delivered = false;
    if (!give_answer(call, waiting))
        call->delivered = true;
}

static void answer_locked(struct call *call, struct carrier *waiting)
{
    call->in_flight = false;
    waiting->standing = NULL;
    if (call->withdrawn || call_comes_again(waiting))
        call->delivered = true;
    else
        call_deliver(call, waiting);
}

void call_answer(struct call *call, struct carrier *waiting)
{
    plat_lock(&waiting->lock);
    answer_locked(call, waiting);
    plat_unlock(&waiting->lock);
}

/* The same for one whose worker is to end: `signal` meets it on its way out, and nothing of the
 * program's runs before. Where the notification is withdrawn already, or will be by the signal, the
 * worker may be gone as soon as the signal was sent. */
void call_send_off(struct call *call, struct carrier *waiting, int signal)
{
    pid_t process = (pid_t)RAW0(SYS_getpid);
    plat_lock(&waiting->lock);
    bool out = !engine_caps.killable || call->withdrawn;
    call->result = -EINTR;
    if (out && engine_caps.killable)
        answer_locked(call, waiting);
    RAW3(SYS_tgkill, process, waiting->tid, signal);
    if (!out)
        answer_locked(call, waiting);
    plat_unlock(&waiting->lock);
}
