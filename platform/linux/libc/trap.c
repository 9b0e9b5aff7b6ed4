/* SPDX-License-Identifier: MIT
 *
 * trap.c - serves the system calls of workers that the filter stops, in the handler of SIGSYS.
 *
 * A carrier that makes a call which the filter stops gets SIGSYS instead: by a trap
 * (traps/filter.c), or by the reactor, which was notified of the call (traps/messenger.c). The
 * handler moves to a stack of the worker's (signal_frame.h), and does what a rewritten call site
 * does (user_call). It attempts the call, and if the call has to wait the worker leaves its
 * scheduler in user mode, from within the handler. Executed again, the worker goes on behind the
 * `syscall` with the result. So no carrier waits in the kernel for a worker.
 *
 * The spawner and its carriers have the filter; no thread or process of a worker's may get it. The
 * kernel keeps a filter over fork and exec, and forgets the handler at exec. A program under the
 * filter would end at its first read, or wait for a listener that is gone. So threads without the
 * filter make the threads, children and programs of a worker (trap_process.c, the broker).
 *
 * At a call site that has no room for a jump (libc/site_module.c) calls are notified again and
 * again. After some times its carrier puts the filter that traps on top of the other one: a trap
 * outranks a notification. From then on each call of that carrier costs a trap.
 *
 * The kernel ends a process that is trapped while it blocks SIGSYS, and a call that is notified
 * meanwhile keeps its processor. So SIGSYS stays open, and its handler reachable:
 *   masks of workers     the library keeps them, also those that libc sets inside itself: every
 *                        rt_sigprocmask is trapped and changes the worker's mask. The carrier's
 *                        mask in the kernel never has SIGSYS
 *   masks of handlers    the kernel has only the library's handlers of faults, whose masks are
 *                        empty (kept_action.h); the mask of the stop signal's handler does not have
 *                        SIGSYS
 *   the action           stays the library's, which keeps the program's beside (kept_action.h)
 *
 * The library's own code calls libc here and there. Such a call is served as well, as the thread
 * holds nothing then that serving takes. Where the thread holds a lock, the call is simply made.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/altstack_front.h"
#include "platform/linux/libc/signal_front.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/filter.h"
#include "platform/linux/traps/lent_call.h"
#include "platform/linux/traps/messenger.h"
#include "platform/linux/traps/noticed.h"
#include "platform/linux/traps/user_call.h"

enum { KERNEL_SET = 8, SYSCALL_BYTES = 2 };

/* ---- Calls that are about signals ------------------------------------------------------------ */

/* Arguments: 0 how, 1 set, 2 old, 3 size. */
static long serve_mask(const long args[6])
{
    uint64_t set = 0, old;
    if (args[3] != KERNEL_SET)
        return -EINVAL;
    if (args[1] && copy_in(&set, (const void *)args[1], sizeof set))
        return -EFAULT;
    int error = args[1] ? change_mask((int)args[0], set, &old) : change_mask(SIG_BLOCK, 0, &old);
    if (error)
        return -error;
    return args[2] ? copy_out((void *)args[2], &old, sizeof old) : 0;
}

/* Sets the kernel's mask for libc, which makes a carrier (bare_thread.c): the thread carries no
 * context. */
static long serve_kernel_mask(const long args[6])
{
    uint64_t set;
    if (args[3] != KERNEL_SET)
        return -EINVAL;
    if (!args[1])
        return RAW4(SYS_rt_sigprocmask, args[0], 0, args[2], KERNEL_SET);
    if (copy_in(&set, (const void *)args[1], sizeof set))
        return -EFAULT;
    if (args[0] != SIG_UNBLOCK)
        set &= ~kept_signals();
    return RAW4(SYS_rt_sigprocmask, args[0], &set, args[2], KERNEL_SET);
}

/* The action of a kept signal. Arguments: 0 number, 1 action, 2 old, 3 size. */
static long serve_action(const long args[6])
{
    struct kernel_action given, told;
    struct sigaction action = {.sa_flags = 0}, old;
    if (args[3] != KERNEL_SET)
        return -EINVAL;
    if (args[1] && copy_in(&given, (const void *)args[1], sizeof given))
        return -EFAULT;
    if (args[1]) {
        action.sa_sigaction = given.handler;
        action.sa_flags = (int)given.flags;
        memcpy(&action.sa_mask, &given.mask, sizeof given.mask);
    }
    kept_action_change((int)args[0], args[1] ? &action : NULL, &old);
    told = (struct kernel_action){(void *)old.sa_sigaction, (unsigned)old.sa_flags, NULL, 0};
    memcpy(&told.mask, &old.sa_mask, sizeof told.mask);
    return args[2] ? copy_out((void *)args[2], &told, sizeof told) : 0;
}

/* ---- A call ---------------------------------------------------------------------------------- */

static long as_it_stands(long nr, const long a[6])
{
    return raw_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Whether the stack has room for all that rewriting a site takes (site_module.c). */
static bool has_room(void)
{
    enum { ROOM = 24 << 10 };
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > plat_tls.room.low + ROOM && here <= plat_tls.room.high;
}

/* The carrier's calls were notified so far; from here on they trap. */
static void trap_from_now_on(const struct plat_context *self)
{
    struct carrier *carrier = self->scheduler->runs.carrier;
    if (carrier->lane->listener < 0 || carrier->traps_refused || !engine_caps.may_trap ||
        !messages_end(carrier))
        return;
    if (filter_install_traps()) {
        carrier->traps_refused = true;
        messages_resume(carrier);
    }
}

static long serve_worker(struct plat_context *self, long nr, const long args[6], const void *at)
{
    if (has_room() && call_noticed((uintptr_t)at) == NOTICED_STAYS)
        trap_from_now_on(self);
    if (call_is_lent(nr) && !trapped_call_stopped((int)nr, args))
        return lent_call(self, nr, args, (uintptr_t)at, false);
    long result = user_call_cancellable(self, nr, args, at);
    stop_look_behind(at);
    return result;
}

static long serve_scheduler(struct plat_context *self, long nr, const long args[6])
{
    const struct call_row *entry = trapped_call_stopped((int)nr, args);
    if (entry && scheduler_call(self, self->lane, entry, args))
        return self->call.result;
    return user_call(self, nr, args);
}

static long serve(long nr, const long args[6], ucontext_t *trapped)
{
    struct plat_context *self = plat_tls.current;
    switch (nr) {
    case SYS_clone:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
        return trap_process(nr, args, trapped);
    case SYS_rt_sigaction:
        return serve_action(args);
    case SYS_sigaltstack:
        return carried() ? altstack_change((const stack_t *)args[0], (stack_t *)args[1],
                                           (uintptr_t)trapped->uc_mcontext.gregs[REG_RSP])
                         : as_it_stands(nr, args);
    }
    if (nr == SYS_rt_sigprocmask)
        return carried() && !plat_tls.locks ? serve_mask(args) : serve_kernel_mask(args);
    if (!carried() || plat_tls.locks)
        return as_it_stands(nr, args);
    if (self->is_scheduler)
        return serve_scheduler(self, nr, args);
    return serve_worker(self, nr, args, (const void *)trapped->uc_mcontext.gregs[REG_RIP]);
}

/* ---- The handler ----------------------------------------------------------------------------- */

/* The signal may come anywhere, even in the middle of a switch, so this uses no thread-local data.
 * A message that fits no call is for a call that was withdrawn before: its thread makes the call
 * again, or has left it. A signal that only looks like a message changes nothing either. */
enum message trap_message(siginfo_t *info, ucontext_t *trapped)
{
    greg_t *registers = trapped->uc_mcontext.gregs;
    const char *at = (const char *)registers[REG_RIP];
    long nr = registers[REG_RAX];
    bool whole = info->si_code == SI_QUEUE && info->si_errno == TRAP_MARK;
    bool bare = info->si_code == SI_USER && !info->si_pid && !info->si_errno;
    if (!whole && !bare)
        return MESSAGE_NOT;
    if (!message_came())
        return whole ? MESSAGE_LATE : MESSAGE_NOT;
    UMS_CHECK(library_holds(at) || message_may_come(), at, nr);
    bool there = whole ? at + SYSCALL_BYTES == info->si_call_addr && nr == info->si_syscall
                       : !library_holds(at);
    if (!there || memcmp(at, "\x0f\x05", SYSCALL_BYTES) != 0)
        return MESSAGE_LATE;
    info->si_syscall = (int)nr;
    registers[REG_RIP] += SYSCALL_BYTES; /* as a trap's */
    return MESSAGE_CALL;
}

void trap_serve(const siginfo_t *info, ucontext_t *trapped)
{
    greg_t *registers = trapped->uc_mcontext.gregs;
    const long args[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                          registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    int saved = errno; /* a system call leaves it alone */
    registers[REG_RAX] = serve(info->si_syscall, args, trapped);
    errno = saved;
}
