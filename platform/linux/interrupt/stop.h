/* SPDX-License-Identifier: MIT
 *
 * stop.h - suspending and ending threads from outside.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H

#include "platform/linux/dispatch/thread_object.h"

/* Plain threads and schedulers. The count before, or -1 at its maximum. */
int32_t thread_suspend(struct plat_thread *thread);
uint32_t thread_resume(struct plat_thread *thread);
void thread_end(struct plat_thread *thread, uint32_t code);
/* The calling thread may be stopped here. It stands still while it is suspended, and ends if
 * another thread has terminated it. */
void thread_stop_point(struct plat_thread *self);
/* Does what the thread's state asks for, again and again until it is done. With thread->binding
 * held. */
void thread_nudge(struct plat_thread *thread);
/* Sends the stop signal to the kernel thread that carries a plain thread or a scheduler. */
void thread_interrupt(const struct plat_thread *thread);
int stop_start(void);

#endif
