/* SPDX-License-Identifier: MIT
 *
 * carrier.c - kernel threads that lend their processor: the idle loop and the hand-over.
 *
 * An idle carrier runs on its own small stack with its own thread pointer and sleeps on its word.
 * Given a scheduler it loads that stack and thread pointer and is never seen again, until some
 * plat_execute on it resumes a worker that waits in the kernel: then the worker's own carrier goes
 * on as the scheduler's, and this one starts its idle loop over.
 */
#include <errno.h>
#include <string.h>

#include "platform/linux/cpu_time.h"
#include "platform/linux/engine.h"
#include "platform/linux/inspect/trace.h"
#include "platform/linux/raw.h"
#include "platform/linux/worker_signals.h"

/* The processors a scheduler's carriers should have: its lane's one where it is allowed. */
static void wanted_affinity(const struct plat_context *scheduler, cpu_set_t *want)
{
    const struct lane *lane = scheduler->lane;
    if (engine_caps.sticky && CPU_ISSET(lane->cpu, &scheduler->allowed)) {
        CPU_ZERO(want);
        CPU_SET(lane->cpu, want);
    } else {
        *want = scheduler->allowed;
    }
}

/* Moves a carrier to where its new scheduler may run; no system call when it is there already. */
static void follow_affinity(struct carrier *carrier, const struct plat_context *scheduler)
{
    cpu_set_t want;
    wanted_affinity(scheduler, &want);
    if (memcmp(&want, &carrier->affinity, sizeof want) == 0)
        return;
    carrier->affinity = want;
    RAW3(SYS_sched_setaffinity, carrier->tid, sizeof want, &want);
}

/* The scheduler's mask was changed: whoever carries it now follows at once, others later. */
void scheduler_affinity(struct plat_context *scheduler, const cpu_set_t *allowed)
{
    scheduler->allowed = *allowed;
    if (scheduler->carrier)
        follow_affinity(scheduler->carrier, scheduler);
}

/* On the scheduler's stack, with its thread pointer. */
static _Noreturn void enter_scheduler(struct plat_context *scheduler, void *unused)
{
    (void)unused;
    bool blocked = scheduler->entered;
    scheduler->entered = true;
    cpu_time_start(scheduler);
    engine_core->activate(scheduler, blocked);
    UMS_FATAL("an activation returned", scheduler, 0);
}

_Noreturn void carrier_idle(struct carrier *carrier, void *unused)
{
    (void)unused;
    struct lane *lane = carrier->lane;
    struct plat_context *scheduler;
    carrier->context = NULL;
    carrier->scheduler = NULL;

    plat_lock(&lane->lock);
    if (!carrier->seen) {
        carrier->seen = true;
        lane->coming--;
        lane->carriers++;
    }
    scheduler = lane->starving;
    if (scheduler) {
        lane->starving = scheduler->next;
        if (!lane->starving)
            lane->starving_end = &lane->starving;
        lane->starving_count--;
    } else {
        carrier->next_idle = lane->idle;
        lane->idle = carrier;
        lane->idle_count++;
    }
    plat_unlock(&lane->lock);

    if (!scheduler) {
        while (!atomic_load_explicit(&carrier->word, memory_order_acquire))
            futex_wait(&carrier->word, 0);
        atomic_store_explicit(&carrier->word, 0, memory_order_relaxed);
        scheduler = carrier->assigned;
    }
    carrier->scheduler = scheduler;
    cpu_time_carry(scheduler, carrier);
    follow_affinity(carrier, scheduler);
    ctx_jump((void *)enter_scheduler, scheduler, NULL, scheduler->sp, scheduler->fs_base);
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
 * A worker that has handlers to run gets the stop signal with the answer. Where a received notification
 * stays, the signal is pending until the answer, and comes before anything of the program's runs.
 * Elsewhere it withdraws the notification, and its handler gives the result instead (stop.c). */
static bool give_answer(struct call *call, struct carrier *waiting)
{
    bool interrupt = UMS_UNLIKELY(signals_due(call_worker(call)) || call->interrupted);
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

/* On the carrier's own stack: the scheduler it carried has left it. */
_Noreturn void carrier_answer(struct carrier *carrier, void *unused)
{
    (void)unused;
    struct plat_context *worker = carrier->answer;
    struct carrier *waiting = worker->kernel_at;
    worker->kernel_at = NULL;
    carrier->answer = NULL;
    call_answer(&worker->call, waiting);
    carrier_idle(carrier, NULL);
}

/* plat_execute of a worker that waits in the kernel, with its call done. */
_Noreturn void plat_execute_in_kernel(struct plat_context *scheduler, struct plat_context *worker)
{
    struct carrier *carrier = scheduler->carrier;
    struct carrier *waiting = worker->kernel_at;
    UMS_CHECK(carrier && waiting->context == worker, waiting, worker);
    waiting->scheduler = scheduler;
    cpu_time_stop(scheduler);
    cpu_time_continue(worker, waiting);
    cpu_time_carry(scheduler, waiting);
    trace(scheduler, TRACE_EXECUTE, worker, 0, 0, scheduler->reason);
    follow_affinity(waiting, scheduler);
    carrier->answer = worker;
    ctx_jump((void *)carrier_answer, carrier, NULL, carrier->base_sp, carrier->fs_base);
}

void *carrier_main(void *arg)
{
    struct lane *lane = arg;
    struct carrier *carrier = plat_reserve(sizeof *carrier);
    if (!carrier)
        return NULL;
    carrier->lane = lane;
    carrier->tid = (pid_t)RAW0(SYS_gettid);
    carrier->fs_base = thread_pointer();
    carrier->base_sp = stack_below(__builtin_frame_address(0), 512);
    RAW3(SYS_sched_getaffinity, carrier->tid, sizeof carrier->affinity, &carrier->affinity);
    if (tid_map_carrier(carrier->tid, carrier))
        return NULL;
    ctx_jump((void *)carrier_idle, carrier, NULL, carrier->base_sp, carrier->fs_base);
}
