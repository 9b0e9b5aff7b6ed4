/* SPDX-License-Identifier: MIT
 *
 * fault.h - how a scheduler is taken from a worker that sleeps in a page fault, or in a system call
 * that the filter does not stop.
 *
 * W is the worker, A its carrier, S its scheduler, T the thread that watches (traps/fault_watch.c).
 * `lent` of W:
 *
 *     NO      -> OFFERED   T, which has seen A asleep in the fault or call; then it sends A the
 *                          stop signal
 *     OFFERED -> NO        A, first thing in its handler: it woke up, and goes on as if nothing had
 *                          happened
 *     OFFERED -> TAKEN     T, if A is still asleep there with the signal pending
 *     TAKEN   -> GIVEN     T: W is marked blocked and S is on its way to another carrier
 *     GIVEN   -> NO        A, in its handler: leaves W there, which arrives, and is idle
 *             (carrier_arrive). A's handler may be interrupted by another stop signal: the one of
 *             the two whose compare-exchange makes this step leaves W
 *
 * This is for faults, and for system calls that end in the same way whatever signal is pending
 * (STEADY, calls.def). Faults that userfaultfd serves end with any signal, and the instruction runs
 * again afterwards. There A has to sleep on with its signals blocked:
 *
 *     NO      -> ASKED     T, which has seen A asleep in one; then T sends the stop signal to A
 *     ASKED   -> OFFERED   A, in its handler, with its signals blocked: it touches the page itself
 *                          (fault_access.h)
 *     ASKED   -> NO        A, in its handler: it is elsewhere by now, may not leave there, or
 *                          cannot tell which page; or T, which sees W asleep once more: W left A
 *                          before the signal came
 *     OFFERED -> TAKEN     T, if A is asleep in its touch; and on as above
 *
 * Other calls (traps/lent_call.h) are made at a place in the library, and need no signal:
 *
 *     NO      -> LENT      W, before the call
 *     LENT    -> NO        W, behind it; or A, first thing in the handler of a signal that came for
 *                          another reason, and LENT again when that handler goes back there
 *     LENT    -> TAKEN     T, if A is asleep in that call (lent_gate.h)
 *     TAKEN   -> GIVEN     as above; and W, behind the call, does what A's handler does there
 *
 * W writes LENT over a value of T's from before. T is too late then, and its next compare-exchange
 * fails.
 *
 * A thread with an unblocked signal pending executes nothing of the program before the handler. So
 * from the moment that T sees A asleep with the signal pending, in its touch, or in the lent call,
 * nothing of W runs before A has looked at `lent`. The compare-exchange that leaves OFFERED or LENT
 * decides. From TAKEN on A serves only W (kernel_at), until it has woken up and left W's stack.
 * When W is executed again it goes on in the handler, or after the call, on any carrier.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_H

#include <ucontext.h>

#include "platform/check.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/hold.h"

enum page_fault { FAULT_NO, FAULT_ASKED, FAULT_OFFERED, FAULT_LENT, FAULT_TAKEN, FAULT_GIVEN };

static inline bool fault_was_noticed(struct plat_context *worker)
{
    return atomic_load_explicit(&worker->fault.lent, memory_order_acquire) != FAULT_NO;
}
/* In the handler of the stop signal, on the worker: returns when the worker may go on. `movable`:
 * it may be switched away where it was interrupted. */
void fault_over(struct plat_context *worker, ucontext_t *interrupted, bool movable);

/* On the worker: its scheduler may be taken from here on, unless that is held. */
static inline void fault_lend(struct plat_context *worker)
{
    if (UMS_UNLIKELY(hold_is_on(worker->scheduler)))
        return;
    atomic_store_explicit(&worker->fault.lent, FAULT_LENT, memory_order_release);
}
/* Makes a lent call, on the worker, and returns its result when the worker may go on. The arguments
 * are those of lent_gate; `behind` is the address after the program's call, or 0. */
long fault_lent_call(struct plat_context *worker, long number, const long args[6], uintptr_t behind,
                     bool cancellable);

#endif
