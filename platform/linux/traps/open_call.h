/* SPDX-License-Identifier: MIT
 *
 * open_call.h - a worker's open, made at once though it may have to wait.
 *
 * Hardly an open waits: only a FIFO's does, or that of a file with a lease. To look at a path takes
 * as long as to open it, and tells of FIFOs only. So the worker opens the file while it has its
 * scheduler. If the worker is still in that call when a timer has fired twice, the timer's thread
 * sends a signal. If a signal ends the wait, the open fails, and a helper makes it again. An open
 * that was ended so has had no effect. An open that makes a file or fails (O_EXCL) is not ended,
 * because it could have made the file. It never waits for a FIFO.
 *
 * W is the worker, A its carrier, T the thread of its lane's timer. W's word (open_gate.h):
 *
 *     NONE    -> MADE      W, before the call, with a number of its own
 *     MADE    -> NONE      W, after the call
 *     MADE    -> TELLING   T, if it saw the same number MADE when the timer fired before
 *     TELLING -> TOLD      T, when it has sent A the stop signal
 *     TOLD    -> NONE      W, after the call
 *     any     -> NONE      W, in its call, before a handler of the program's runs there for another
 *                          filter's SIGSYS: the handler may open a file, wait, or jump away
 *     TOLD    -> TELLING   T, when the timer fires again: the signal met A before the kernel did
 *
 * W and T change the word by compare-exchanges of the whole word. So the number keeps each change
 * to its own open. In TELLING W waits after its call for TOLD. So A still carries W when T sends
 * the signal. Then W makes a system call, at whose end the signal comes if it has not come yet. So
 * the signal meets no other call of the program's.
 *
 * A worker reads a file that it knows by its path in the same way (known_file.h): the signal ends
 * the read if the number is a pipe's or a socket's. And it writes to a terminal so (terminal.h):
 * the result then says how many bytes moved before the signal.
 *
 * The timer runs while there are opens. W sets `wanted` and then reads `runs`; T clears `runs` and
 * then reads `wanted`. The order of these four accesses is total, so one of the two threads sees
 * the other.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_OPEN_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_OPEN_CALL_H

#include <stdbool.h>

#include "platform/linux/calls/call_ops.h"

struct call;
struct plat_context;

/* Whether the timer's thread could end the worker's open: a carrier runs the worker, and the stop
 * signal is free. */
bool open_can_be_ended(struct call *call);
/* A worker whose open can be ended calls this. CALL_DONE, or CALL_HELPER: a helper is to make the
 * open again. */
enum outcome open_at_once(struct call *call);
/* The same for any call that a signal ends without an effect, or with a part of its result:
 * open_at_once is made of it.
 * False: the timer's thread ended the call. Else call->result has its result. */
bool open_made(struct call *call);
/* A worker calls this before a handler of the program's runs on top of its open: from here on no
 * signal ends the open. */
void open_give_up(struct plat_context *worker);
/* Whether an open of the lane has waited lately. Then the caller looks first whether the path is a
 * FIFO's: a worker that opens a FIFO leaves at once. */
bool open_is_looked_at(const struct call *call);
/* The call's open waits, or would. */
void open_waits(const struct call *call);

#endif
