/* SPDX-License-Identifier: MIT
 *
 * trap_process.c - calls of trapped carriers that make a thread or a process, or execute another
 * program.
 *
 * A thread or process that a carrier made would have the carrier's filter for life. So
 *   a fork        is made by the context's home. The home has no filter, but the context's thread
 *                 pointer, policy, niceness, name and processors, and lives as long as the context
 *                 (PR_SET_PDEATHSIG). The child is a copy of the home which, in its copy of the
 *                 memory, goes on where the trap was
 *   a clone with a stack of its own, a thread's too: is made by the home as well. The child begins
 *                 with the registers of the trap, which lay_start puts on the new stack
 *                 (bare_start)
 *   a vfork, and a clone that shares memory without a stack: becomes a fork
 *   a bare fork or clone without a stack: becomes libc's fork, as with syscall(SYS_fork), whose
 *                 handlers make a whole process of the child. Name spaces, another exit signal or a
 *                 descriptor that the program asks for join what libc asks for
 *   another copy, with a thread pointer or its parent's table of files: is made as it stands, but
 *                 its thread is no worker
 *   an exec       is made by the broker thread with the worker's mask. Handlers may run on that
 *                 thread before the exec, for which a home has no room. libc's exec functions hold
 *                 no lock
 * The home waits for no thread here, but for the child of a bare vfork with a stack.
 *
 * libc from 2.41 on blocks all signals for its fork. That call is trapped, so it changes the
 * worker's mask. The call that opens them again in the child is not trapped, so it changes the
 * kernel's. trap_process_mask tells that mask apart from the home's, with which the child begins.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/traps/errand.h"

/* ---- Threads and processes ------------------------------------------------------------------- */

enum {
    EXIT_SIGNAL = 0xff,
    MEMORY = CLONE_VM | CLONE_VFORK | CLONE_SIGHAND,
    BY_LIBC = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD /* libc's fork asks for these */
};

static uint64_t mask_of_copy; /* in a child: the mask with which it began */
/* The arguments of the program's clone, until the one of libc's fork is made in its place. */
static __thread const long *wanted __attribute__((tls_model("initial-exec")));

static uint64_t mask_of_kernel(void)
{
    uint64_t mask = 0;
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
    return mask;
}

bool trap_process_mask(uint64_t *mask)
{
    *mask = mask_of_kernel();
    return *mask != mask_of_copy;
}

/* Arguments: 0 flags, 2 parent's id, 3 child's id, 4 thread pointer, 5 the trap, 6 libc's fork. */
static long make_copy(const long *a)
{
    long result = RAW5(SYS_clone, a[0], 0, a[2], a[3], a[4]);
    if (result == 0) {
        mask_of_copy = mask_of_kernel();
        if (!a[6] && !(a[0] & CLONE_SETTLS)) {
            plat_tls.current = NULL;
            RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &plat_tls.sigmask, 0, 8);
        }
        ucontext_t *trapped = (ucontext_t *)a[5];
        trapped->uc_mcontext.gregs[REG_RAX] = 0;
        trap_resume(trapped);
    }
    return result;
}

static long make_on_stack(const long *a)
{
    return bare_clone_into((unsigned long)a[0], (struct bare_start *)a[1], (int *)a[2], (int *)a[3],
                           (uintptr_t)a[4]);
}

/* A child that is a copy of the process is no worker: a call that it left to the engine would meet
 * the parent's calls, by the descriptors that both have. */
static struct bare_start *lay_start(long stack, bool copy, const ucontext_t *trapped)
{
    const greg_t *r = trapped->uc_mcontext.gregs;
    struct bare_start *start = (struct bare_start *)stack - 1;
    *start = (struct bare_start){.cleared = copy ? (void **)&plat_tls.current : NULL,
                                 .r8 = (uint64_t)r[REG_R8],
                                 .r9 = (uint64_t)r[REG_R9],
                                 .r10 = (uint64_t)r[REG_R10],
                                 .r12 = (uint64_t)r[REG_R12],
                                 .r13 = (uint64_t)r[REG_R13],
                                 .r14 = (uint64_t)r[REG_R14],
                                 .r15 = (uint64_t)r[REG_R15],
                                 .rdi = (uint64_t)r[REG_RDI],
                                 .rsi = (uint64_t)r[REG_RSI],
                                 .rbp = (uint64_t)r[REG_RBP],
                                 .rbx = (uint64_t)r[REG_RBX],
                                 .rdx = (uint64_t)r[REG_RDX],
                                 .flags = (uint64_t)r[REG_EFL],
                                 .rip = (uint64_t)r[REG_RIP]};
    memcpy(&start->mask, &plat_tls.sigmask, sizeof start->mask);
    start->mxcsr = trapped->uc_mcontext.fpregs->mxcsr;
    start->x87 = trapped->uc_mcontext.fpregs->cwd;
    return start;
}

/* Arguments: 0 flags, 1 stack, 2 parent's id, 3 child's id, 4 thread pointer. */
static long serve_clone(const long args[6], ucontext_t *trapped)
{
    struct plat_context *self = plat_tls.current;
    long flags = args[0], stack = args[1];
    bool forks =
        !stack && flags == BY_LIBC && libc_holds((const void *)trapped->uc_mcontext.gregs[REG_RIP]);
    home_function *make = stack ? make_on_stack : make_copy;
    if (!stack && flags & CLONE_THREAD)
        return -EINVAL; /* two threads on one stack */
    if (!stack)
        flags &= ~(long)MEMORY;
    long how[] = {flags,   stack ? (long)lay_start(stack, !(flags & CLONE_VM), trapped) : 0,
                  args[2], args[3],
                  args[4], (long)trapped,
                  forks};
    if (forks && wanted) {
        how[0] = (flags & ~(long)EXIT_SIGNAL) | (wanted[0] & ~(long)(MEMORY | CLONE_FILES));
        how[2] = wanted[2];
        wanted = NULL;
    }
    return self && carried() ? home_run(self, make, how) : make(how);
}

bool process_is_copy(long flags, long stack)
{
    return !stack && !(flags & (CLONE_THREAD | CLONE_SETTLS)) &&
           (flags & CLONE_VM || !(flags & CLONE_FILES));
}

/* Whether the caller's calls are trapped: another scheduler's may be, and its own not. */
static bool fork_is_trapped(void)
{
    return engine_caps.detect && carried() && plat_tls.current->scheduler->runs.carrier;
}

/* Makes a copy of the process that asks for more than libc's fork does. Where the caller's calls
 * are not trapped, the library cannot add that to libc's fork. So it makes the bare call, and the
 * child goes on as a plain thread. */
static long copy_bare(const long args[6])
{
    long child = RAW5(SYS_clone, args[0] & ~(long)MEMORY, 0, args[2], args[3], args[4]);
    if (child == 0)
        plat_tls.current = NULL;
    return child;
}

long process_copy(const long args[6])
{
    enum { OF_FORK = MEMORY | CLONE_FILES | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID };
    bool more = (args[0] & ~(long)OF_FORK) != SIGCHLD;
    if (more && !fork_is_trapped())
        return copy_bare(args);
    wanted = args;
    pid_t child = fork();
    if (child == 0 && more && wanted)
        UMS_FATAL("a clone has become a fork without what it asked for", args[0], 0);
    wanted = NULL;
    if (child == 0 && args[0] & CLONE_CHILD_SETTID) {
        pid_t own = (pid_t)RAW0(SYS_gettid);
        copy_out((void *)args[3], &own, sizeof own);
    }
    return child < 0 ? -errno : child;
}

static long serve_fork(const long args[6], ucontext_t *trapped)
{
    const void *at = (const void *)trapped->uc_mcontext.gregs[REG_RIP];
    return libc_holds(at) || !carried() ? serve_clone(args, trapped) : process_copy(args);
}

/* ---- Another program ------------------------------------------------------------------------- */

struct becoming {
    long nr;
    const long *args;
    uint64_t mask;
    pid_t home;
    bool own_affinity;
    long result;
};

/* On the broker thread. */
static void become(void *arg)
{
    struct becoming *b = arg;
    const long *a = b->args;
    uint64_t old;
    cpu_set_t own;
    RAW3(SYS_sched_getaffinity, 0, sizeof own, &own);
    affinity_reset();
    inherit_from(b->home, b->own_affinity, false);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &b->mask, &old, 8);
    b->result = RAW5(b->nr, a[0], a[1], a[2], a[3], a[4]);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    RAW3(SYS_sched_setaffinity, 0, sizeof own, &own);
}

static long serve_exec(long nr, const long args[6])
{
    struct plat_context *self = plat_tls.current;
    if (!carried())
        return RAW5(nr, args[0], args[1], args[2], args[3], args[4]);
    struct becoming b = {.nr = nr,
                         .args = args,
                         .mask = *mask_of(self),
                         .home = self->tid,
                         .own_affinity = plat_tls.own_affinity};
    broker_run(become, &b);
    return b.result;
}

long trap_process(long nr, const long args[6], ucontext_t *trapped)
{
    static const long plain[6] = {SIGCHLD};
    switch (nr) {
    case SYS_execve:
    case SYS_execveat:
        return serve_exec(nr, args);
    case SYS_fork:
    case SYS_vfork:
        return serve_fork(plain, trapped);
    default:
        if (process_is_copy(args[0], args[1]))
            return serve_fork(args, trapped);
        return serve_clone(args, trapped);
    }
}
