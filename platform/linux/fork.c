/* SPDX-License-Identifier: MIT
 *
 * fork.c - a child has one thread and none of the engine.
 *
 * It is outside the filter and may use UMS like any new process, whoever forked: a worker's and a
 * scheduler's is made by its home (libc/trap_process.c).
 *
 * A worker that forks, or a scheduler in its entry point, is the child's only thread, and a plain
 * one. When a worker returns from its routine, or ends its thread, the process ends, as with any
 * last thread; when an entry point returns, EnterUmsSchedulingMode does. So does a callback's
 * thread of the pool end, when the callback returns.
 */
#include <pthread.h>
#include <string.h>

#include "platform/linux/async/async.h"
#include "platform/linux/async/shared_bell.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/handler_thread.h"
#include "platform/linux/interrupt/home_run.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_memory.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/start.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/shared_name.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/threads/credentials.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/linux/traps/lanes.h"
#include "platform/trace/file.h"
#include "platform/linux/pool/pool.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/libc/sites.h"
#include "platform/linux/switch/give_way.h"
#include "platform/linux/threads/home_stock.h"
#include "platform/linux/threads/thread.h"

static void forget_engine(void)
{
    struct plat_context *self = plat_tls.current;
    bool own_affinity = plat_tls.own_affinity;
    uint64_t mask;
    bool carried = self && engine_caps.detect;
    locks_prepare();
    lanes_forget();
    own_files_forget();
    home_stock_forget();
    tid_map_forget();
    helpers_forget();
    async_forget();
    shared_bell_forget();
    policies_forget();
    give_way_forget();
    futex_table_forget();
    bare_threads_forget();
    copy_forget();
    credentials_forget();
    handler_thread_forget();
    home_signals_forget();
    home_run_forget();
    handles_forget();
    waiters_forget();
    proxies_forget();
    pools_forget();
    pool_groups_forget();
    cpu_time_forget();
    fault_watch_forget();
    trace_forget();
    threads_forget();
    signals_forget(self);
    engine_forget();
    if (engine_core)
        engine_core->forked();
    if (carried) {
        cpu_set_t everywhere =
            self->is_scheduler ? self->runs.allowed : self->scheduler->runs.allowed;
        RAW3(SYS_sched_setaffinity, 0, sizeof everywhere, &everywhere);
        inherit_from(self->tid, own_affinity, true);
        kthread_name_reset();
        rseq_join();
        if (plat_tls.altstack.ss_size && !(plat_tls.altstack.ss_flags & SS_DISABLE))
            RAW2(SYS_sigaltstack, &plat_tls.altstack, 0);
        if (engine_caps.trapped && trap_process_mask(&mask))
            memcpy(&plat_tls.sigmask, &mask, sizeof mask);
        signals_restore(&plat_tls.sigmask);
    } else if (self && !self->is_scheduler && engine_caps.fault_stacks &&
               plat_tls.altstack.ss_size) {
        RAW2(SYS_sigaltstack, &plat_tls.altstack, 0);
    }
}

/* A cancellation from before the fork must not act in here, where the thread is a worker still. */
static void in_child(void)
{
    int cancel_state;
    LIBC(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &cancel_state);
    own_memory_forked();
    forget_engine();
    shared_names_forget(); /* it needs numbers of our own: after own_files_forget */
    sites_forget();
    site_modules_forget();
    site_calls_open();
    LIBC(pthread_setcancelstate)(cancel_state, NULL);
}

static void before_fork(void)
{
    site_pools_fork();
    site_calls_shut();
}

static void in_parent(void)
{
    site_calls_open();
    site_pools_forked();
}

/* When the library is loaded: also a program that never uses UMS may have Win32 threads and a pool,
 * and its child has neither. */
static __attribute__((constructor)) void fork_init(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}
