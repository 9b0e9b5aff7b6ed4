/* SPDX-License-Identifier: MIT
 *
 * fault.h - a worker whose scheduler is taken from it while it sleeps in a page fault, or in a
 * system call that the filter does not stop: who has it when.
 *
 * W is the worker, A its carrier, S its scheduler, T the thread that watches (traps/fault_watch.c).
 * `lent` of W:
 *
 *     NO      -> OFFERED   T, which has seen A asleep in it; then T sends the stop signal to A
 *     OFFERED -> NO        A, first thing in its handler: it woke up, and goes on as if nothing had
 *                          been
 *     OFFERED -> TAKEN     T, if A is still asleep there with the signal pending
 *     TAKEN   -> GIVEN     T: W is marked blocked and S is on its way to another carrier
 *     GIVEN   -> NO        A, in its handler: leaves W there, which arrives, and is idle
 *             (carrier_arrive). A's handler may be interrupted by another stop signal: the one of
 *             the two whose compare-exchange makes this step leaves W
 *
 * So it is with a system call that ends as it would whatever signal is pending (STEADY, calls.def).
 * Some faults end with any signal, and the instruction is made again afterwards: those that
 * userfaultfd sees to. There A has to sleep on with its signals blocked:
 *
 *     NO      -> ASKED     T, which has seen A asleep in one; then T sends the stop signal to A
 *     ASKED   -> OFFERED   A, in its handler, with its signals blocked: it touches the page itself
 *                          (fault_access.h)
 *     ASKED   -> NO        A, in its handler: it is elsewhere by now, may not leave there, or
 *                          cannot tell which page; or T, which sees W asleep once more: W left A
 *                          before the signal came
 *     OFFERED -> TAKEN     T, if A is asleep in its touch; and on as above
 *
 * A call of which that is not known (traps/lent_call.h) is made at a place of the library's,
 * without any signal:
 *
 *     NO      -> LENT      W, before the call
 *     LENT    -> NO        W, behind it; or A, first thing in the handler of a signal that came for
 *                          another reason, and LENT again when that handler goes back there
 *     LENT    -> TAKEN     T, if A is asleep in that call (lent_gate.h)
 *     TAKEN   -> GIVEN     as above; and W, behind the call, does what A's handler does there
 *
 * W writes LENT over whatever T has written before it: T is too late with that, and finds out by
 * its own compare-exchange.
 *
 * A thread with an open signal pending makes no step of the program before the handler's first. So
 * from the moment that T sees A asleep with the signal pending, in its touch, or in the lent call,
 * nothing of W's runs before A has looked at `lent`; and the compare-exchange that leaves OFFERED
 * or LENT decides. From TAKEN on A is W's alone (kernel_at), until it has woken up and left W's
 * stack. Executed again, W goes on in the handler, or behind the call, on any carrier.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_FAULT_H

#include <ucontext.h>

#include "platform/linux/plat_types.h"

enum page_fault { FAULT_NO, FAULT_ASKED, FAULT_OFFERED, FAULT_LENT, FAULT_TAKEN, FAULT_GIVEN };

static inline bool fault_was_noticed(struct plat_context *worker)
{
    return atomic_load_explicit(&worker->fault.lent, memory_order_acquire) != FAULT_NO;
}
/* In the handler of the stop signal, on the worker: returns when it may go on. `movable`: where it
 * was interrupted it may be switched away. */
void fault_over(struct plat_context *worker, ucontext_t *interrupted, bool movable);

/* On the worker: its scheduler may be taken from here on. */
static inline void fault_lend(struct plat_context *worker)
{
    atomic_store_explicit(&worker->fault.lent, FAULT_LENT, memory_order_release);
}
/* A lent call, on the worker: its result, when the worker may go on. The arguments as those of
 * lent_gate; `behind` is where the program makes it, or 0. */
long fault_lent_call(struct plat_context *worker, long number, const long args[6], uintptr_t behind,
                     bool cancellable);

#endif
