/* SPDX-License-Identifier: MIT
 *
 * stop.h - suspending and ending threads from outside.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H

#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"

/* Plain threads and schedulers. The count before, or -1 at its maximum. */
int32_t thread_suspend(struct plat_thread *thread);
uint32_t thread_resume(struct plat_thread *thread);
void thread_end(struct plat_thread *thread, uint32_t code);
/* The calling thread may be stopped here. It stands still while it is suspended, and ends if
 * another thread has terminated it. */
void thread_stop_point(struct plat_thread *self);
/* The parts of it. A suspended thread stands still. The suspender raises `count`, then reads
 * `stopped`. This thread lowers `stopped`, then reads `count`. So one of the two sees the other. */
void thread_stand_still(struct plat_thread *self);
_Noreturn void thread_end_here(struct plat_thread *self);
static inline bool thread_must_stand(const struct plat_thread *thread)
{
    return atomic_load(&thread->stopping.count) &&
           !atomic_load_explicit(&thread->stopping.ending, memory_order_acquire);
}
/* At the end of a function for the program, with nothing held: a thread of any kind that a stop
 * signal has met where it could not act does here what the handler would have done. It keeps errno.
 * Where `caller` is code of the library's the thread goes on, since the function that calls there
 * may hold what others need. Where it is libc's the thread may be suspended, and does not end. */
void stop_look_closely(const void *caller);
static inline void stop_look_behind(const void *caller)
{
    if (UMS_UNLIKELY(plat_tls.stop_due))
        stop_look_closely(caller);
}
/* In the function itself, which is STOP_LOOKS: inlined elsewhere in the library it would take that
 * one's caller for its own. */
#define STOP_LOOKS __attribute__((noinline))
static inline __attribute__((always_inline)) void stop_look(void)
{
    stop_look_behind(__builtin_return_address(0));
}
/* Does what the thread's state asks for, again and again until it is done. With thread->binding
 * held. */
void thread_nudge(struct plat_thread *thread);
/* Sends the stop signal to the kernel thread that carries a plain thread or a scheduler. */
void thread_interrupt(const struct plat_thread *thread);
int stop_start(void);

#endif
