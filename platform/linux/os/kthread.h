/* SPDX-License-Identifier: MIT
 *
 * kthread.h - kernel threads of the library, with signals blocked.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_KTHREAD_H
#define UMSSHIM_PLATFORM_LINUX_OS_KTHREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or errno. stack_bytes: the bytes that the thread itself may use. The function adds libc's part
 * of a stack. */
int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
/* The same for a thread of the program, which other threads may join, or which may detach itself.
 * In any case it detaches itself as its last act (thread.c), which changes nothing for a thread
 * that is joining it. */
int program_kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
const char *
kthread_failure(int error); /* why no thread was made, and what to do, for a line on stderr */
/* Names the calling kernel thread, for ps, top and debuggers: the main function of each engine
 * thread calls it first. At most 15 bytes. */
void kthread_name(const char *name);
void kthread_name_begin(void); /* on a thread of the program, before the first engine thread */
void kthread_name_reset(
    void); /* for a thread of the program that an engine thread made: gives it the program's name */

/* The signal that stops workers, which engine threads do not block; 0: there is none (stop.c). */
extern int stop_signal;
void signals_block(sigset_t *old); /* blocks the signals that engine threads block */
void signals_restore(const sigset_t *old);
uint64_t signals_of_engine(void); /* the set that signals_block sets, as the kernel's word */
void rseq_find(void); /* once, on a plain thread; logs a line if the area cannot be unregistered */
void rseq_leave(void);
void rseq_join(void);

#endif
