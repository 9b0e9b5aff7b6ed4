/* SPDX-License-Identifier: MIT
 *
 * registers.h - the registers of a thread, for another thread that asks.
 *
 * A suspended thread stands in one of three places:
 *     in the stop signal's handler   `stands_at` has the frame of the signal: all registers, and
 *                                    they can be changed
 *     a worker that has left         its saved context has the registers that a function keeps,
 *                                    and says where in this library it goes on
 *     in a wait of this library      the thread is asked: the handler of one more stop signal
 *                                    copies its registers, wherever it is, and does nothing else
 *
 * `stands_at` is written by the thread itself, before it says that it stands (`stopped`, or the
 * state of a worker), and taken back when it goes on. It goes on in the handler only when it is
 * resumed, which needs `binding`, and the thread that looks holds that. A worker that was not
 * suspended may go on meanwhile. Its stack stays while `binding` is held, and the copy counts only
 * if `stands_at` is the same afterwards.
 *
 * One thread at a time writes `asked`, with `binding`. The thread that takes it out by an exchange
 * decides: the thread that is asked answers, or the one that asks gives up.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_H

#include <stdbool.h>
#include <ucontext.h>

#include "platform/linux/dispatch/thread_object.h"

/* Registers as in the kernel's frame of a signal. Of the extended state it has the part that FXSAVE
 * writes. */
struct thread_registers {
    ucontext_t context; /* its fpregs point to `state` */
    struct _libc_fpstate state;
};

/* A question, on the stack of the thread that asks it (registers_ask.h). */
struct thread_asked {
    struct thread_registers *registers;
    _Atomic uint32_t done; /* futex */
};

/* On the thread, in a handler that interrupted these registers. From now on other threads may read
 * them, even while the thread waits in the handler. Returns those of an outer handler, or NULL; at
 * its end the handler sets these again by a second call. */
ucontext_t *registers_stand(struct plat_thread *thread, ucontext_t *interrupted);
/* In the handler of the stop signal: answers a thread that asks for these registers. */
void registers_answer(struct plat_thread *thread, const ucontext_t *interrupted);

/* The next two need the thread's binding. False: the thread stands in no handler. */
bool registers_standing(struct plat_thread *thread, struct thread_registers *registers);
/* The registers of a saved context that does not run. */
void registers_saved(const void *sp, struct thread_registers *registers);

#endif
