/* SPDX-License-Identifier: MIT
 *
 * home_signals.h - handlers that a context's home runs, while nobody else may run the context.
 *
 * A run time that stops threads sends each of them a signal, whose handler answers and waits for a
 * second signal. A scheduler that executes a worker can stop for it, while the worker, which may be
 * the one that stops the others, goes on: its home runs the handler. From the first such signal
 * until the handler returns the scheduler is *held* (switch/hold.h). A worker that no scheduler
 * executes meanwhile might never come to its own handlers. So its home runs them, too: the worker
 * is *aside* (umsshim/aside.c).
 *
 * The home is the kernel thread whose id libc knows. It opens the context's mask and gives itself
 * what is queued; the kernel does the rest: it runs the handlers, on the context's stack and with
 * its thread pointer, and sigsuspend is a real wait. For that time the thread is a plain one
 * (plat_tls.current is NULL), and signals to the context are sent to the home (`at_home`).
 *
 *     home->word     PARKED -> SIGNALS   the thread that begins: it has set HOLD_ON, or UMS_ASIDE
 *     home->word     SIGNALS -> PARKED   the home
 *     `at_home`      set and cleared by the home, under signals_lock
 *     HOLD_ON, UMS_ASIDE                 cleared by the home, which is on its own frame again, and
 *                                        has found nothing queued under the lock
 *
 * So a signal is queued before the home's last look, or it finds HOLD_ON cleared and begins anew.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_HOME_SIGNALS_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_HOME_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/linux/plat_types.h"

/* The calling thread carries the scheduler, and has a worker of it loaded: the scheduler is held if
 * a signal of another thread's is due, and the worker goes on. Not while a lock is held. */
void home_signals_hold(struct plat_context *scheduler);
/* The calling scheduler stands still while its home runs the handlers that are due. It keeps errno
 * and the like: the handlers restore what they change. False: it has nothing for its home, or its
 * patience is not over. An entry point may have dequeued the worker that is to let it go in the
 * end, and it executes that worker soon. So it stands still where it waits, for there it has none
 * in hand, and elsewhere when stops have met it HOLD_PATIENCE times. */
bool home_signals_stand(struct plat_context *scheduler);
/* The same for a scheduler that was met by a stop. */
void home_signals_met(struct plat_context *scheduler);
/* In the worker's nudge, with its thread->binding held: the worker is ready or queued. True: its
 * signals are still due, and are to be handled now. */
bool home_signals_aside(struct plat_context *worker);
/* Whether handlers are to run now though no scheduler executes their workers. */
bool home_signals_wanted(void);
/* On the scheduler's home, under signals_lock: nothing is queued for it any more. HOLD_ENDS stands
 * until the home has given the lock back. */
void home_signals_over(struct plat_context *scheduler);
void home_signals_forget(void); /* in a child after fork */

#endif
