/* SPDX-License-Identifier: MIT
 *
 * thread.h - threads: the creation of plain ones, the end of all.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_H

#include "platform/linux/dispatch/thread_object.h"

/* Makes a plain thread that runs thread->begin.start(param) once its suspend count is 0. Returns
 * when the thread exists and thread->tid is set. 0 or 8. */
int thread_start(struct plat_thread *thread, size_t stack_bytes, bool suspended);
/* 0 or -errno. A scheduler's mask goes to its carriers, too. */
int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask);
/* The thread remembers the priority. A scheduler's goes to its carriers, too. */
void thread_set_priority(struct plat_thread *thread, int priority);
/* The process's processors change, and with them those of every kernel thread of the program that
 * had all of them. 0, or -errno: the threads cannot be listed, and nothing has changed. */
int threads_change_affinity(const cpu_set_t *now);
/* dispatch_hooks.thread_ended */
void thread_ended(struct plat_thread *thread);
/* The same for a worker that has left its stack for good. Its scheduler calls this. `counted_at`:
 * the place where the worker is counted (program_threads.h). False: something is left that only the
 * worker's own thread can end. */
bool thread_ended_elsewhere(struct plat_thread *thread, unsigned counted_at);
void threads_forget(void);

/* The worker or scheduler of this thread id, which may have ended meanwhile; or NULL. */
struct plat_context *thread_context(pid_t tid);

#endif
