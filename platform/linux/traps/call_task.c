/* SPDX-License-Identifier: MIT
 *
 * call_task.c - calls that set or read a state that the kernel keeps for the calling task.
 *
 * One kernel thread carries a context now, and another one after its next block. Several contexts
 * share each such thread. docs/differences.md has the table of all states of a task. This file has
 * the rows of that table that take a decision:
 *   at home   the context's home makes the call (errand.c). The state stays with the worker, can be
 *             read again, and ends with the worker
 *   refused   the state would bind the carrier and so the next context on it, and not the worker
 *             later: rights, filters, name spaces, the GS base. One line in the log says so, for
 *             each call once
 *   a ring    that belongs to the task which submits to it (IORING_SETUP_SINGLE_ISSUER): the engine
 *             makes one that any thread may use. By that flag the program only saves the kernel a
 *             lock, and the flags that need it only say when the kernel shows completions
 */
#include <linux/io_uring.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/errand.h"
#include "platform/platform.h"

/* These names are newer than the oldest headers that the library is built with. */
enum {
    RING_COOP_TASKRUN = 1 << 8,
    RING_TASKRUN_FLAG = 1 << 9,
    RING_SINGLE_ISSUER = 1 << 12,
    RING_DEFER_TASKRUN = 1 << 13,
    RING_NUMBER_ONLY = 1 << 15, /* IORING_SETUP_REGISTERED_FD_ONLY */
    RING_OF_A_TASK =
        RING_COOP_TASKRUN | RING_TASKRUN_FLAG | RING_SINGLE_ISSUER | RING_DEFER_TASKRUN,
    LANDLOCK_ALL_THREADS = 1 << 3, /* LANDLOCK_RESTRICT_SELF_TSYNC */
    TASK_IO_FLUSHER = 57,
    TASK_GET_IO_FLUSHER = 58,
    TASK_USER_DISPATCH = 59,
    TASK_SCHED_CORE = 62
};

/* ---- Refused --------------------------------------------------------------------------------- */

static enum outcome refuse(struct call *call, long error, const char *instead)
{
    static _Atomic uint64_t said[8]; /* a bit for each number of a call */
    unsigned nr = (unsigned)call->entry->nr % 512;
    uint64_t bit = UINT64_C(1) << nr % 64;
    if (!(atomic_fetch_or_explicit(&said[nr / 64], bit, memory_order_relaxed) & bit))
        plat_log("refused to a worker or scheduler: %s would act on the kernel thread that "
                 "carries it for now, and on whoever is carried next; %s",
                 call->entry->name, instead);
    return call_done(call, error);
}

/* False: the call only asks, as libseccomp does. Either the operation only tells, or the call has
 * no filter, or arguments where strict mode has none: then the kernel's error tells whether it
 * knows the operation and the flags. */
static bool installs_a_filter(const long *a)
{
    switch ((uint32_t)a[0]) {
    case SECCOMP_SET_MODE_STRICT:
        return !(uint32_t)a[1] && !a[2];
    case SECCOMP_SET_MODE_FILTER:
        return a[2];
    default:
        return false;
    }
}

static enum outcome attempt_task(struct call *call)
{
    const long *a = call->args;
    switch (call->entry->nr) {
    case SYS_seccomp:
        if (!installs_a_filter(a))
            return CALL_PASS;
        return refuse(call, -EACCES,
                      "call it through libc's syscall() with SECCOMP_FILTER_FLAG_TSYNC, which is "
                      "for all threads, or before the first scheduler");
    case SYS_rseq:
        return refuse(call, -ENOSYS, "use it on plain threads");
    case SYS_arch_prctl:
        return refuse(call, -EPERM, "use it on plain threads");
    case SYS_personality:
        if ((uint32_t)a[0] == 0xffffffff ||
            (uint32_t)a[0] == (uint32_t)RAW1(SYS_personality, 0xffffffff))
            return CALL_PASS;
        return refuse(call, -EINVAL, "call it before the first scheduler");
    case SYS_landlock_restrict_self:
        if (a[1] & LANDLOCK_ALL_THREADS)
            return CALL_PASS;
        return refuse(call, -EPERM, "call it before the first scheduler");
    case SYS_setfsuid:
    case SYS_setfsgid: /* no error exists: the caller reads the value back */
        if ((uint32_t)a[0] == (uint32_t)RAW1(call->entry->nr, -1))
            return CALL_PASS;
        return refuse(call, RAW1(call->entry->nr, -1), "use it on plain threads");
    case SYS_io_uring_register: /* it asks for a number that is good on one kernel thread only */
        return call_done(call, -EINVAL);
    default:
        return refuse(call, -EPERM, "call it on a plain thread, or before the first scheduler");
    }
}

const struct call_ops ops_task = {.attempt = attempt_task};

/* ---- prctl ----------------------------------------------------------------------------------- */

static enum outcome attempt_prctl(struct call *call)
{
    const char *before = "call it before the first scheduler";
    switch ((int)call->args[0]) {
    case PR_SET_NAME:
    case PR_GET_NAME:
    case PR_SET_PDEATHSIG:
    case PR_GET_PDEATHSIG:
    case PR_SET_TIMERSLACK:
    case PR_GET_TIMERSLACK:
    case PR_SET_NO_NEW_PRIVS: /* every carrier has it, for the engine's filter */
    case PR_GET_NO_NEW_PRIVS:
    case PR_GET_SECCOMP:
    case PR_GET_KEEPCAPS:
    case PR_GET_SECUREBITS:
    case PR_GET_TSC:
    case PR_GET_SPECULATION_CTRL:
    case PR_CAPBSET_READ:
    case PR_MCE_KILL_GET:
    case TASK_GET_IO_FLUSHER:
        return call_at_home(call);
    case PR_CAP_AMBIENT:
        if (call->args[1] == PR_CAP_AMBIENT_IS_SET)
            return call_at_home(call);
        return refuse(call, -EPERM, before);
    case PR_SET_KEEPCAPS:
    case PR_SET_SECUREBITS:
    case PR_CAPBSET_DROP:
        return refuse(call, -EPERM, before);
    case PR_SET_SECCOMP:
        if (call->args[1] == SECCOMP_MODE_FILTER && !call->args[2])
            return CALL_PASS; /* only asks, too */
        return refuse(call, -EACCES, before);
    case PR_SET_TSC:
    case PR_SET_SPECULATION_CTRL:
    case PR_MCE_KILL:
    case TASK_USER_DISPATCH:
    case TASK_IO_FLUSHER:
    case TASK_SCHED_CORE:
        return refuse(call, -EINVAL, before);
    default: /* all others are about the process */
        return CALL_PASS;
    }
}

const struct call_ops ops_prctl = {.attempt = attempt_prctl};

/* ---- io_uring -------------------------------------------------------------------------------- */

/* Whether the kernel refuses this combination of flags. */
static bool ring_flags_clash(uint32_t flags)
{
    const uint32_t late = RING_COOP_TASKRUN | RING_TASKRUN_FLAG | RING_DEFER_TASKRUN;
    return (flags & IORING_SETUP_SQPOLL && flags & late) ||
           (flags & RING_TASKRUN_FLAG && !(flags & (RING_COOP_TASKRUN | RING_DEFER_TASKRUN))) ||
           (flags & RING_DEFER_TASKRUN && !(flags & RING_SINGLE_ISSUER));
}

/* Entries 0, parameters 1. */
static enum outcome attempt_ring_setup(struct call *call)
{
    struct io_uring_params given;
    void *at = (void *)call->args[1];
    if (copy_in(&given, at, sizeof given))
        return CALL_PASS; /* the kernel reports the error */
    if (!(given.flags & (RING_OF_A_TASK | RING_NUMBER_ONLY)))
        return CALL_PASS;
    if (ring_flags_clash(given.flags) || given.flags & RING_NUMBER_ONLY)
        return call_done(call, -EINVAL);
    const uint32_t wanted = given.flags;
    given.flags &= ~(uint32_t)RING_OF_A_TASK;
    long ring = RAW2(SYS_io_uring_setup, call->args[0], &given);
    given.flags = wanted;
    if (ring >= 0 && copy_out(at, &given, sizeof given)) {
        RAW1(SYS_close, ring);
        ring = -EFAULT;
    }
    return call_done(call, ring);
}

const struct call_ops ops_ring_setup = {.attempt = attempt_ring_setup};
