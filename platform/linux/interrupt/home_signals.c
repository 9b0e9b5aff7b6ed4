/* SPDX-License-Identifier: MIT
 *
 * home_signals.c - see home_signals.h.
 */
#include "platform/linux/interrupt/home_signals.h"

#include <signal.h>

#include "platform/linux/current.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/hold.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/switch.h"

enum { GAP = 1024 }; /* between what lies on a stack and a handler there */

static _Atomic unsigned held; /* schedulers that are held */

bool home_signals_wanted(void)
{
    return atomic_load(&held) != 0;
}

static void begin(struct home *home, void *below)
{
    home->below = below;
    atomic_store_explicit(&home->word, HOME_SIGNALS, memory_order_release);
    futex_wake(&home->word, 1);
}

static bool hold(struct plat_context *scheduler)
{
    signals_enter();
    bool begins = !hold_is_on(scheduler) && signals_for_home(scheduler);
    if (begins) {
        scheduler->runs.patience = HOLD_PATIENCE;
        atomic_fetch_or(&scheduler->runs.hold, HOLD_ON);
        atomic_fetch_add(&held, 1);
    }
    plat_unlock(&signals_lock);
    return begins;
}

void home_signals_hold(struct plat_context *scheduler)
{
    if (!scheduler->runs.hosted || !signals_due(scheduler) || !hold(scheduler))
        return;
    hold_carried(scheduler);
    begin(scheduler->home, NULL);
}

void home_signals_met(struct plat_context *scheduler)
{
    if (scheduler->runs.patience)
        scheduler->runs.patience--;
    home_signals_stand(scheduler);
}

/* noinline: the home's frames begin below this one. */
__attribute__((noinline)) bool home_signals_stand(struct plat_context *scheduler)
{
    uint64_t stop = stop_signal ? SIGNAL_BIT(stop_signal) : 0, old;
    if (!scheduler->runs.hosted || scheduler->runs.patience || !hold(scheduler))
        return false;
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, &stop, &old, 8);
    begin(scheduler->home, stack_below(__builtin_frame_address(0), GAP));
    hold_await(scheduler);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    return true;
}

/* On the carrier's own stack: the home's handlers have the scheduler's. */
static _Noreturn void execute_held(struct plat_context *scheduler, struct plat_context *worker)
{
    hold_carried(scheduler);
    begin(scheduler->home, NULL);
    plat_execute_counted(scheduler, worker);
}

/* The worker may be the one for which the scheduler's handler is to wait: so the scheduler does not
 * stand still with it in hand. */
void plat_executes(struct plat_context *scheduler, struct plat_context *worker)
{
    if (!scheduler->runs.hosted || !signals_due(scheduler) || !hold(scheduler))
        return;
    const struct carrier *carrier = scheduler->runs.carrier;
    ctx_jump((void *)execute_held, scheduler, worker, carrier->base_sp, carrier->fs_base);
}

bool home_signals_aside(struct plat_context *worker)
{
    if (!home_signals_wanted() || !signals_due(worker))
        return false;
    const struct plat_tls *tls = tls_at(worker->fs_base);
    if (tls->locks || tls->ending || !engine_core->held.aside(worker))
        return true;
    begin(worker->home, stack_below(worker->sp, GAP));
    return true;
}

void home_signals_over(struct plat_context *scheduler)
{
    atomic_fetch_sub(&held, 1);
    atomic_fetch_add(&scheduler->runs.hold, HOLD_ENDS - HOLD_ON);
}

void home_signals_forget(void)
{
    atomic_store_explicit(&held, 0, memory_order_relaxed);
}
