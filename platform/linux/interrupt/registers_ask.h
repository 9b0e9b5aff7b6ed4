/* SPDX-License-Identifier: MIT
 *
 * registers_ask.h - having a thread tell its registers, and waiting for one to stand still. Both
 * with the thread's binding: registers.h.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_ASK_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_ASK_H

#include "platform/linux/interrupt/registers.h"

/* Of a plain thread, or of what a scheduler's kernel thread runs. False: it did not answer within
 * eight seconds. */
bool registers_asked(struct plat_thread *thread, struct thread_registers *registers);
/* Releases the binding, and waits until a stop that is under way has had its effect: the caller
 * looks again. A worker leaves its scheduler. */
void registers_await(struct plat_thread *thread);

#endif
