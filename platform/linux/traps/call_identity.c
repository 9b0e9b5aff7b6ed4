/* SPDX-License-Identifier: MIT
 *
 * call_identity.c - calls in which the kernel looks at the calling thread.
 *
 * A context keeps its home's thread id, whichever carrier carries it. So gettid must return that
 * id. A signal to that id must reach the thread that carries the context now. A processor mask set
 * for that id must follow a scheduler: its home keeps the mask, and its carriers take it over.
 */
#include <string.h>
#include <sys/resource.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"

/* The kernel thread that the context is on now; 0: none. Without the filter that is its scheduler's
 * own thread. */
static pid_t thread_under(const struct plat_context *self)
{
    const struct plat_context *scheduler = self->scheduler; /* a scheduler's: itself */
    if (scheduler && !scheduler->runs.hosted)
        return scheduler->tid;
    const struct carrier *carrier = scheduler ? scheduler->runs.carrier : NULL;
    return carrier && (self->is_scheduler || carrier->context == self) ? carrier->tid : 0;
}

/* tgkill: process 0, thread 1, signal 2; tkill: thread 0, signal 1. */
static enum outcome attempt_identity(struct call *call)
{
    struct plat_context *self = call_worker(call);
    long *a = call->args;
    if (call->entry->nr == SYS_gettid)
        return call_done(call, self->tid);

    bool group = call->entry->nr == SYS_tgkill;
    pid_t target = (pid_t)a[group ? 1 : 0];
    struct plat_context *context = tid_home(target);
    if (!context)
        return CALL_PASS;
    int number = (int)a[group ? 2 : 1];
    if (context->is_scheduler || number <= 0 || number >= NSIG || (group && a[0] != own_pid()))
        number = 0;
    /* abort sends a fault's signal to its own thread. There the kernel delivers it, whatever the
     * worker blocks. */
    if (number && !(SIGNAL_BIT(number) & SIGNALS_OF_FAULTS)) {
        siginfo_t info;
        signal_info_tkill(&info, number);
        return call_done(call, -signal_send(context, &info, context != self));
    }
    /* Only a thread that is carried right now can take the signal on its own stack. */
    pid_t thread = context == self ? thread_under(self) : 0;
    thread = thread ? thread : target;
    return call_done(call,
                     group ? RAW3(SYS_tgkill, a[0], thread, a[2]) : RAW2(SYS_tkill, thread, a[1]));
}

const struct call_ops ops_identity = {.attempt = attempt_identity};

/* Thread 0 (0: the caller), bytes 1, mask 2. */
static enum outcome attempt_affinity(struct call *call)
{
    struct plat_context *self = call_worker(call);
    long *a = call->args;
    pid_t target = a[0] ? (pid_t)a[0] : self->tid;
    long r = RAW3(call->entry->nr, target, a[1], a[2]);
    struct plat_context *context = tid_home(target);
    if (r < 0 || call->entry->nr == SYS_sched_getaffinity || !context)
        return call_done(call, r);
    if (!context->is_scheduler) {
        tls_at(context->fs_base)->own_affinity = true;
        return call_done(call, r);
    }

    cpu_set_t allowed;
    if (thread_get_affinity(context->thread, &allowed) == 0)
        scheduler_affinity(context, &allowed);
    return call_done(call, r);
}

const struct call_ops ops_affinity = {.attempt = attempt_affinity};

/* Policy, parameters and niceness. The target 0 means the caller: then its home gets the values,
 * and they have no effect. setpriority, getpriority: kind of target 0, target 1; all others: target
 * 0. */
static enum outcome attempt_scheduling(struct call *call)
{
    long *a = call->args;
    pid_t tid = call_worker(call)->tid;
    if (call->entry->nr != SYS_setpriority && call->entry->nr != SYS_getpriority)
        return call_done(call, RAW5(call->entry->nr, tid, a[1], a[2], a[3], a[4]));
    if (a[0] != PRIO_PROCESS)
        return CALL_PASS;
    return call_done(call, RAW3(call->entry->nr, PRIO_PROCESS, tid, a[2]));
}

const struct call_ops ops_scheduling = {.attempt = attempt_scheduling};

bool call_is_about_caller(const struct call_row *entry)
{
    return entry->ops == &ops_identity || entry->ops == &ops_affinity ||
           entry->ops == &ops_scheduling || entry->ops == &ops_home || entry->ops == &ops_task ||
           entry->ops == &ops_prctl || entry->ops == &ops_ring_setup || entry->ops == &ops_process;
}

bool scheduler_call(struct plat_context *scheduler, struct lane *lane, const struct call_row *entry,
                    const long args[6])
{
    struct call *call = &scheduler->call;
    if (!call_is_about_caller(entry))
        return false;
    call_begin(call, lane, entry);
    memcpy(call->args, args, sizeof call->args);
    return entry->ops->attempt(call) == CALL_DONE;
}

void inherit_from(pid_t home, bool affinity, bool scheduling)
{
    struct sched_param param = {0};
    cpu_set_t set;
    if (affinity) {
        long bytes = RAW3(SYS_sched_getaffinity, home, sizeof set, &set);
        if (bytes > 0)
            RAW3(SYS_sched_setaffinity, 0, bytes, &set);
    }
    if (!scheduling)
        return;
    long policy = RAW1(SYS_sched_getscheduler, home);
    if (policy > SCHED_OTHER && RAW2(SYS_sched_getparam, home, &param) == 0)
        RAW3(SYS_sched_setscheduler, 0, policy, &param);
    long nice_value = 20 - RAW2(SYS_getpriority, PRIO_PROCESS, home);
    if (nice_value >= -20 && nice_value <= 19 && nice_value != 0)
        RAW3(SYS_setpriority, PRIO_PROCESS, 0, nice_value);
}

/* A process made here would have the filter for good. So libc/trap_process.c makes the call later,
 * on a thread without the filter. If no thread has a filter, the call is made as it stands. */
static enum outcome attempt_process(struct call *call)
{
    (void)call;
    return CALL_PASS;
}

const struct call_ops ops_process = {.attempt = attempt_process};
