/* SPDX-License-Identifier: MIT
 *
 * open_call.h - a worker's open, made at once though it may have to wait.
 *
 * Hardly an open waits for somebody: a FIFO's does, or that of a file with a lease. To look at each
 * path takes as long as to open it, and tells of FIFOs only. So the worker opens it with its
 * scheduler; and where it is still in that call when a timer has fired twice, the thread of the
 * timer has the call fail, if it waits in a way that a signal ends, and a helper makes it again. An
 * open that was ended so has done nothing that another one would see later. One that makes a file,
 * or fails (O_EXCL), never waits for a FIFO, and is let alone: it could have made the file.
 *
 * W is the worker, A its carrier, T the thread of its lane's timer. W's word (open_gate.h):
 *
 *     NONE    -> MADE      W, before the call, with a number of its own
 *     MADE    -> NONE      W, behind it
 *     MADE    -> TELLING   T, which has seen the same number MADE when it fired before
 *     TELLING -> TOLD      T, when it has sent A the stop signal
 *     TOLD    -> NONE      W, behind the call
 *     any     -> NONE      W, in its call, before a handler of the program's for SIGSYS runs there,
 *                          which another filter has sent: the handler may open, wait, or jump away
 *     TOLD    -> TELLING   T, when it fires again: the signal met A before it was in the kernel
 *
 * Those that W and T may both begin are compare-exchanges of the whole word, so none is taken for
 * one of another open. In TELLING W waits behind its call for TOLD. So A is W's when T sends the
 * signal; and W makes a system call then, on the way back from which the signal comes, if it has
 * not come yet. It meets no other call of the program's.
 *
 * The timer runs while there are opens. W says `wanted` and then asks whether it `runs`; T says
 * that it does not run and then asks whether it is wanted. The order of these four is total, so one
 * of the two sees the other.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_OPEN_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_OPEN_CALL_H

#include <stdbool.h>

#include "platform/linux/calls/call_ops.h"

struct call;
struct plat_context;

/* Whether somebody could end it: there are carriers, which a signal reaches. */
bool open_can_be_ended(struct call *call);
/* On the worker, whose open can be ended: over, or to be made by a helper. */
enum outcome open_at_once(struct call *call);
/* On the worker, before a handler of the program's runs on top of its open: nobody ends it now. */
void open_give_up(struct plat_context *worker);
/* One has waited a moment ago: whether the path is a FIFO's is to be asked first, for then its
 * worker leaves at once. */
bool open_is_looked_at(const struct call *call);
/* This one does. */
void open_waits(const struct call *call);

#endif
