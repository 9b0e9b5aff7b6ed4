/* SPDX-License-Identifier: MIT
 *
 * fault.c - the end of a page fault in which a worker's scheduler was taken: fault.h.
 */
#include "platform/linux/interrupt/fault.h"

#include <sys/syscall.h>

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"

/* A call that the filter stops: it is not made in raw.S. */
static void stand_in_notification(void)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_tuxcall)
                     : "rcx", "r11", "memory", "cc");
}

void fault_over(struct plat_context *worker, const sigset_t *mask)
{
    uint32_t lent = FAULT_OFFERED;
    sigset_t handlers;
    if (atomic_compare_exchange_strong_explicit(&worker->lent, &lent, FAULT_NO,
                                                memory_order_acq_rel, memory_order_acquire))
        return;
    while (lent == FAULT_TAKEN) {
        futex_wait(&worker->lent, FAULT_TAKEN);
        lent = atomic_load_explicit(&worker->lent, memory_order_acquire);
    }
    if (lent != FAULT_GIVEN)
        return;
    atomic_store_explicit(&worker->lent, FAULT_NO, memory_order_release);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, mask, &handlers, 8);
    stand_in_notification();
    if (worker->terminated)
        carrier_abandon(worker);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &handlers, 0, 8);
}
