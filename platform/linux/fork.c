/* SPDX-License-Identifier: MIT
 *
 * fork.c - a child has one thread and none of the engine.
 *
 * The child of a plain thread is outside the filter and may use UMS like any new process. The child
 * of a worker or scheduler stays inside its parent's filter, whose reactor (later: guardian) waves
 * its calls through; a second listener cannot be installed there, so UMS works without detection.
 *
 * What was a worker, or a scheduler in its entry point, is the child's only thread, and a plain one.
 * When a worker returns from its routine, or ends its thread, the process ends, as with any last thread;
 * when an entry point returns, EnterUmsSchedulingMode does. So does a callback's thread of the pool end,
 * when the callback returns.
 */
#include <pthread.h>

#include "platform/linux/os/copy.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/engine.h"
#include "platform/linux/libc/front.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/pool/pool.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/threads/thread.h"

static void forget_engine(void)
{
    struct plat_context *self = plat_tls.current;
    bool own_affinity = plat_tls.own_affinity;
    bool inside_filter = self && engine_caps.detect && !engine_caps.caught;
    lanes_forget();
    tid_map_forget();
    helpers_forget();
    futex_table_forget();
    bare_threads_forget();
    copy_forget();
    credentials_forget();
    handler_thread_forget();
    handles_forget();
    waiters_forget();
    pools_forget();
    cpu_time_forget();
    threads_forget();
    signals_forget();
    engine_forget(inside_filter);
    if (engine_core)
        engine_core->forked();
    if (inside_filter) {
        cpu_set_t everywhere =
            self->is_scheduler ? self->allowed : engine_core->scheduler_of(self)->allowed;
        RAW3(SYS_sched_setaffinity, 0, sizeof everywhere, &everywhere);
        inherit_from(self->tid, own_affinity, true);
        rseq_join();
        signals_restore(&plat_tls.sigmask);
    }
}

/* A cancellation from before the fork must not act in here, where the thread is a worker still. */
static void in_child(void)
{
    int cancel_state;
    LIBC(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &cancel_state);
    forget_engine();
    site_calls_open();
    LIBC(pthread_setcancelstate)(cancel_state, NULL);
}

/* From the start: a program that never used UMS has threads and a pool that a child has not. */
static __attribute__((constructor)) void fork_init(void)
{
    pthread_atfork(site_calls_shut, site_calls_open, in_child);
}
