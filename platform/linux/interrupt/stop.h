/* SPDX-License-Identifier: MIT
 *
 * stop.h - suspending and ending threads from outside.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_STOP_H

#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"

/* For plain threads and schedulers. Returns the count before, or -1 at its maximum. */
int32_t thread_suspend(struct plat_thread *thread);
uint32_t thread_resume(struct plat_thread *thread);
void thread_end(struct plat_thread *thread, uint32_t code);
/* The calling thread may be stopped here. It stands still while it is suspended, and ends if
 * another thread has terminated it. */
void thread_stop_point(struct plat_thread *self);
/* The two parts of thread_stop_point. In the first a suspended thread stands still. The suspender
 * raises `count`, then reads `stopped`. This thread lowers `stopped`, then reads `count`. So one of
 * the two sees the other. */
void thread_stand_still(struct plat_thread *self);
_Noreturn void thread_end_here(struct plat_thread *self);
static inline bool thread_must_stand(const struct plat_thread *thread)
{
    return atomic_load(&thread->stopping.count) &&
           !atomic_load_explicit(&thread->stopping.ending, memory_order_acquire);
}
/* Called at the end of a function for the program, without a lock. If a stop signal came where its
 * handler could not act, the thread does here what the handler would have done. Keeps errno. If
 * `caller` is code of the library the thread goes on, since the function there may hold a lock. If
 * it is libc's the thread may be suspended, but does not end. */
void stop_look_closely(const void *caller);
static inline void stop_look_behind(const void *caller)
{
    if (UMS_UNLIKELY(plat_tls.stop_due))
        stop_look_closely(caller);
}
/* stop_look is called by a function that is STOP_LOOKS, so not inlined: inlined into another
 * function of the library it would take that function's caller for its own. */
#define STOP_LOOKS __attribute__((noinline))
static inline __attribute__((always_inline)) void stop_look(void)
{
    stop_look_behind(__builtin_return_address(0));
}
/* Makes the thread stop, end or interrupt its wait, as its state asks, and tries again until it
 * has. With thread->binding held. */
void thread_nudge(struct plat_thread *thread);
/* Sends the stop signal to the kernel thread that carries a plain thread or a scheduler. */
void thread_interrupt(const struct plat_thread *thread);
int stop_start(void);

#endif
