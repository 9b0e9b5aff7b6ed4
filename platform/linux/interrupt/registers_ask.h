/* SPDX-License-Identifier: MIT
 *
 * registers_ask.h - asking a thread for its registers, and waiting until a thread stands still.
 * Both need the thread's binding: registers.h.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_ASK_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_REGISTERS_ASK_H

#include "platform/linux/interrupt/registers.h"

/* Asks a plain thread, or the kernel thread that runs a scheduler. False: it did not answer within
 * eight seconds. */
bool registers_asked(struct plat_thread *thread, struct thread_registers *registers);
/* Releases the binding, and waits until a stop that is under way may have had its effect. The
 * caller looks again then. A calling worker leaves its scheduler meanwhile. */
void registers_await(struct plat_thread *thread);

#endif
