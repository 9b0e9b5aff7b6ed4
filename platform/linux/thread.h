/* SPDX-License-Identifier: MIT
 *
 * thread.h - threads: birth, suspension, end.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_THREAD_H

#include "platform/linux/dispatch/thread_object.h"

/* A plain thread that runs thread->start(thread->param), once its suspend count is 0. Returns when it
 * exists and thread->tid is set. 0 or 8. */
int thread_start(struct plat_thread *thread, size_t stack_bytes, bool suspended);
/* 0 or -errno. A scheduler's mask goes where it is carried. */
int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask);
/* dispatch_hooks.thread_ended */
void thread_ended(struct plat_thread *thread);
void threads_forget(void);

/* ---- program_end.c: the process ends with the last of the program's threads ---- */

void program_thread_leaves(void); /* on a thread made by pthread_create, when its routine is over */
void program_end(uint32_t code); /* may return: libc, or the end of another thread, sees to it */
void program_threads_forget(void);

/* ---- stop.c: suspending and ending threads from outside ---- */

/* Plain threads and schedulers. The count before, or -1 at its maximum. */
int32_t thread_suspend(struct plat_thread *thread);
uint32_t thread_resume(struct plat_thread *thread);
void thread_end(struct plat_thread *thread, uint32_t code);
/* At a place where the calling thread may be stopped: stands still while it is suspended, ends if it
 * is to end. */
void thread_stop_point(struct plat_thread *self);
/* Does what the thread's state asks for, now and until it is done. With thread->binding held. */
void thread_nudge(struct plat_thread *thread);
int stop_start(void);

/* ---- libc_text.c: where the C library's code is, which holds locks of its own ---- */

void libc_locate(void);
bool libc_holds(const void *code);

#endif
