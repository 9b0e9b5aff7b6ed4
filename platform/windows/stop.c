/* SPDX-License-Identifier: MIT
 *
 * stop.c - workers suspended or ended by another thread: the engine's part of umsshim/stop.c.
 *
 * The system stops the thread of a worker that runs. The calling thread becomes the worker's proxy:
 * it does what the worker itself would have done to leave its scheduler. The worker's word is
 * HAND_FROZEN then, and a scheduler that executes it has the system resume its thread. The same
 * goes for a worker that waits in the kernel and is to end.
 *
 * A worker must not stop where it holds a lock that others need. The engine knows its own locks
 * (`inside`, `locks`). It cannot know ntdll's locks, so a worker that is found in ntdll gets some
 * time to come out. It may stop in a system call that ntdll has not made itself. In the middle of a
 * wake-up it has ntdll's lock of the waiters, or has taken its scheduler off their list and not
 * woken it yet. Its proxy, which wakes the scheduler for it, would wait for that lock, or find no
 * scheduler to wake.
 *
 * Nor does it stop in the engine's own code. There, before it is `inside`, it may have read already
 * which scheduler it leaves. If another scheduler executed it then, it would leave the wrong one,
 * and the right one would wait for it for good.
 */
#include "platform/windows/stop.h"

#include "platform/windows/engine.h"
#include "platform/windows/os/looking.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_handle.h"
#include "platform/windows/switch/interrupt.h"
#include "platform/windows/switch/registers.h"
#include "platform/windows/switch/short_calls.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/switch/thread_switch.h"
#include "platform/windows/waits/user_wait_cancel.h"
#include "platform/windows/worker.h"

enum { PATIENCE = 200, END_LIMIT_MS = 5000, LONGEST_RUN_NS = 1 << 20 };

/* Lets a thread that was stopped at a bad place run on. If it were suspended again before it has
 * run an instruction it would never get away from there. */
static void let_it_run(int tries)
{
    uint64_t end = plat_now() + (tries < 20 ? 1u << tries : LONGEST_RUN_NS);
    do
        SwitchToThread();
    while (plat_now() < end);
}

/* Whether a scheduler has executed the worker and waits for it. A worker that reads as RUNNING may
 * still be frozen from the time before. */
static bool is_under_way(const struct plat_context *worker)
{
    return atomic_load_explicit(&worker->word, memory_order_acquire) == HAND_GO &&
           !__atomic_load_n(&worker->frozen, __ATOMIC_ACQUIRE);
}

/* Stops the worker's thread. False: the place was bad, or `wanted` is no longer right for the
 * worker's state; then the thread runs on. */
static bool freeze(struct plat_context *worker, HANDLE thread, enum plat_nudge wanted, int tries)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    looking *look = looking_begin(teb_kernel_id(), worker->thread_id);
    if (!ntapi_suspend(thread)) {
        looking_end(look);
        return false;
    }
    /* Asking for the registers waits until the thread has really stopped; asking for those of a
     * saved worker does not. */
    bool ok = !worker->host && !worker->saved_sp && thread_registers(thread, &context) &&
              !worker->locks && !worker->host && !worker->saved_sp &&
              engine_core->worker_due(worker) == wanted;
    const void *code = (const void *)context.Rip;
    if (ok && wanted != NUDGE_CANCEL) /* the worker runs */
        ok = is_under_way(worker) && !worker->inside && !interrupt_in_engine(code);
    if (ok)
        ok = !interrupt_in_system(code) && (tries > PATIENCE || !interrupt_in_ntdll(&context));
    if (ok)
        ok = short_call_hold(worker, wanted == NUDGE_CANCEL);
    if (!ok)
        ntapi_resume(thread);
    looking_end(look);
    return ok;
}

/* Ends a thread that is frozen, and waits until it has gone. */
static void end_frozen(struct plat_context *worker)
{
    HANDLE thread = worker->frozen;
    worker->frozen = NULL;
    ntapi_end_other(thread, worker->exit_code);
    WaitForSingleObject(thread, END_LIMIT_MS);
    CloseHandle(thread);
    worker_gone_by_proxy(worker);
}

void stop_thaw(struct plat_context *worker, bool end)
{
    if (end) {
        end_frozen(worker);
        return;
    }
    HANDLE thread = worker->frozen;
    /* Another thread may stop it again at once. */
    __atomic_store_n(&worker->frozen, NULL, __ATOMIC_RELEASE);
    short_call_release(worker);
    ntapi_resume(thread);
    CloseHandle(thread);
}

/* The worker's thread stands still. Does the worker's part for it. */
static void act_for(struct plat_context *worker, HANDLE thread, enum plat_nudge nudge)
{
    worker->frozen = thread;
    atomic_store_explicit(&worker->word, HAND_FROZEN, memory_order_relaxed);
    if (nudge == NUDGE_CANCEL)
        engine_core->worker_completed(worker); /* ends the worker, by stop_thaw */
    else
        worker_stop_by_proxy(worker);
}

void stop_enforce(struct plat_context *worker)
{
    struct plat_context *self = plat_current();
    HANDLE thread = NULL;
    enum plat_nudge nudge;
    for (int tries = 0; (nudge = engine_core->worker_nudge(worker)) > NUDGE_WAITS; tries++) {
        if (nudge == NUDGE_SIGNAL && worker == self) {
            engine_core->worker_stop(worker);
            break;
        }
        struct plat_context *host = __atomic_load_n(&worker->host, __ATOMIC_ACQUIRE);
        if (nudge == NUDGE_CANCEL && user_wait_cancel(worker)) {
            SwitchToThread();
            continue;
        }
        if (host && (nudge == NUDGE_SIGNAL || nudge == NUDGE_END)) {
            bool held;
            interrupt_hosted(worker, host, INTERRUPT_STOP, nudge, tries > PATIENCE, &held);
            /* Another thread has suspended its scheduler, so the worker stands still, too. It was
             * perhaps not sent to interrupt_entry. Then it runs on, once its scheduler does, until
             * it leaves; no scheduler can execute it after that. */
            if (held && tries > PATIENCE)
                break;
        } else if (nudge != NUDGE_AGAIN) {
            if (!thread)
                thread = OpenThread(THREAD_ALL_ACCESS, FALSE, worker->thread_id);
            if (!thread)
                break; /* the thread has ended */
            if (freeze(worker, thread, nudge, tries)) {
                act_for(worker, thread, nudge);
                return;
            }
        }
        let_it_run(tries);
    }
    if (thread)
        CloseHandle(thread);
}

/* ---- Plain threads and schedulers ------------------------------------------------------------ */

/* Whether the thread must not stay stopped here. That holds of a plain thread in the engine's own
 * code, too. */
static bool holds_a_lock(const struct plat_context *scheduler, HANDLE thread, uint32_t id)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    if (!thread_registers(thread, &context))
        return false; /* the thread has ended, or the caller has no right to look */
    if (!scheduler)
        return interrupt_in_engine((void *)context.Rip) || plain_locks_of(id);
    const struct plat_context *guest = __atomic_load_n(&scheduler->guest, __ATOMIC_ACQUIRE);
    return scheduler->locks || scheduler->exchanging ||
           (guest && guest->host == scheduler && guest->locks);
}

/* Gives up after some 0.4 seconds. A thread that waits for a lock looks like one that holds it. If
 * a suspended thread holds that lock, the first one waits until it is resumed. The caller may be
 * the thread that resumes it, so the call must not wait for that. When it gives up, the call
 * succeeds and leaves the thread stopped where it is. If the stopped thread holds a lock, others
 * that want it wait until the thread is resumed. They do not wait for ever: to resume a thread
 * takes only the map's lock, and no thread makes a system call with that (thread_map.h). */
NTSTATUS stop_by_system(struct plat_context *scheduler, HANDLE thread, ULONG *before)
{
    uint32_t id = thread_handle_id(thread);
    for (int tries = 0;; tries++) {
        looking *look = looking_begin(teb_kernel_id(), id);
        NTSTATUS status = nt.NtSuspendThread(thread, before);
        bool stays =
            status < 0 || *before || tries > 2 * PATIENCE || !holds_a_lock(scheduler, thread, id);
        if (!stays)
            nt.NtResumeThread(thread, NULL);
        looking_end(look);
        if (stays)
            return status;
        let_it_run(tries);
    }
}

/* ---- The worker of a scheduler that another thread suspends or ends ------------------------- */

void *stop_guest(struct plat_context *scheduler, struct plat_context *worker)
{
    HANDLE thread = OpenThread(THREAD_ALL_ACCESS, FALSE, worker->thread_id);
    bool stopped = false;
    for (int tries = 0; thread && !stopped && tries < 2 * PATIENCE; tries++) {
        if (engine_core->worker_nudge(worker) != NUDGE_SIGNAL || worker->scheduler != scheduler)
            break; /* the worker has left meanwhile */
        /* These stand still with the scheduler: a hosted worker, a saved one, and one that has told
         * the scheduler that it leaves. */
        if (__atomic_load_n(&worker->host, __ATOMIC_ACQUIRE) ||
            __atomic_load_n(&worker->saved_sp, __ATOMIC_ACQUIRE) ||
            atomic_load_explicit(&scheduler->word, memory_order_acquire) == HAND_GO)
            break;
        stopped = freeze(worker, thread, NUDGE_SIGNAL, tries);
        if (!stopped)
            let_it_run(tries);
    }
    if (stopped && worker->scheduler != scheduler) {
        short_call_release(worker);
        ntapi_resume(thread);
        stopped = false;
    }
    if (thread && !stopped)
        CloseHandle(thread);
    return stopped ? thread : NULL;
}

bool stop_detach_hosted(struct plat_context *scheduler, struct plat_context *worker,
                        uint32_t end_code)
{
    bool done = false;
    for (int tries = 0; !done && tries < 2 * PATIENCE; tries++) {
        if (__atomic_load_n(&worker->host, __ATOMIC_ACQUIRE) != scheduler)
            return false;
        scheduler->end_code = end_code;
        scheduler->ended_by_other = true;
        bool held;
        done = interrupt_hosted(worker, scheduler, INTERRUPT_DETACH, NUDGE_SIGNAL, tries > PATIENCE,
                                &held);
        if (!done)
            let_it_run(tries);
    }
    return done;
}

void stop_detach(struct plat_context *scheduler, struct plat_context *worker, void *thread,
                 uint32_t end_code)
{
    worker->frozen = thread;
    atomic_store_explicit(&worker->word, HAND_FROZEN, memory_order_relaxed);
    scheduler->end_code = end_code;
    scheduler->ended_by_other = true;
    engine_core->worker_detach(worker);
}

/* Never called: plat_stop_due is always false here. */
int plat_stop_point(struct plat_context *scheduler)
{
    (void)scheduler;
    return 0;
}
