/* SPDX-License-Identifier: MIT
 *
 * fault.c - the worker's and its carrier's steps when its scheduler is taken in a page fault or a
 * lent call: fault.h.
 */
#include "platform/linux/interrupt/fault.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "platform/check.h"
#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/interrupt/fault_access.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/carrier.h"

/* The signal has ended the fault before its page came, so the carrier touches the page itself.
 * SIGBUS is unblocked meanwhile: the touch may raise one, and a blocked SIGBUS would end the
 * process. */
static void touch(struct plat_context *worker, const ucontext_t *interrupted, bool movable)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    const uint64_t bus = SIGNAL_BIT(SIGBUS);
    struct fault_access accesses[FAULT_ACCESSES];
    unsigned count = 0;
    uint32_t lent = FAULT_ASKED;
    if (movable && worker->fault.asked.code == (uintptr_t)registers[REG_RIP] &&
        worker->fault.asked.stack == (uintptr_t)registers[REG_RSP]) {
        count = fault_accesses(interrupted, accesses);
        if (!count)
            atomic_store_explicit(&worker->fault.unknown, worker->fault.asked.code,
                                  memory_order_relaxed);
    }
    if (!atomic_compare_exchange_strong_explicit(&worker->fault.lent, &lent,
                                                 count ? FAULT_OFFERED : FAULT_NO,
                                                 memory_order_acq_rel, memory_order_relaxed) ||
        !count)
        return;
    RAW4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bus, 0, 8);
    for (unsigned i = 0; i < count; i++)
        fault_touch(accesses[i].first, accesses[i].last, accesses[i].writes);
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, &bus, 0, 8);
}

/* Takes the worker's offer back. True: no thread had taken the scheduler, and the worker goes on.
 * False: its scheduler was taken, and has another carrier by now: the caller makes the worker
 * arrive (carrier_arrive). The handler of a stop signal may come between any two instructions here,
 * so the exchange decides which of the two does. */
static bool withdraw(struct plat_context *worker, uint32_t said)
{
    uint32_t lent = said;
    if (atomic_compare_exchange_strong_explicit(&worker->fault.lent, &lent, FAULT_NO,
                                                memory_order_acq_rel, memory_order_acquire))
        return true;
    while (lent == FAULT_TAKEN) {
        futex_wait(&worker->fault.lent, FAULT_TAKEN);
        lent = atomic_load_explicit(&worker->fault.lent, memory_order_acquire);
    }
    return lent != FAULT_GIVEN ||
           !atomic_compare_exchange_strong_explicit(&worker->fault.lent, &lent, FAULT_NO,
                                                    memory_order_acq_rel, memory_order_relaxed);
}

void fault_over(struct plat_context *worker, ucontext_t *interrupted, bool movable)
{
    sigset_t handlers;
    uint32_t lent = atomic_load_explicit(&worker->fault.lent, memory_order_acquire);
    if (lent == FAULT_ASKED)
        touch(worker, interrupted, movable);
    if (withdraw(worker, lent == FAULT_LENT ? FAULT_LENT : FAULT_OFFERED))
        return;
    /* The sleep is over. The worker is blocked until it is executed again, on any carrier. */
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &interrupted->uc_sigmask, &handlers, 8);
    carrier_arrive(worker);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &handlers, &interrupted->uc_sigmask, 8);
    RAW2(SYS_sigaltstack, 0, &interrupted->uc_stack);
}

long fault_lent_call(struct plat_context *worker, long number, const long args[6], uintptr_t behind,
                     bool cancellable)
{
    worker->fault.from = behind;
    fault_lend(worker);
    long result = lent_gate(number, args, cancellable);
    if (UMS_UNLIKELY(!withdraw(worker, FAULT_LENT))) {
        carrier_arrive(worker);
        signals_look(worker);
    }
    return result;
}
