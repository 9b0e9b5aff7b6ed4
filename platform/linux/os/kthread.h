/* SPDX-License-Identifier: MIT
 *
 * kthread.h - threads of our own, signals blocked.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_KTHREAD_H
#define UMSSHIM_PLATFORM_LINUX_OS_KTHREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or errno. stack_bytes: what the thread has for itself; what libc takes out of a stack is added
 * to it. */
int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
/* The same for a thread of the program's: others may join it, or it detach itself, while it lives.
 * It detaches itself as its last act (thread.c), which changes nothing for a thread that is joining
 * it. */
int program_kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
const char *
kthread_failure(int error); /* why there was none, and what to do, for a line on stderr */
/* Names the calling kernel thread, for ps, top and debuggers: first in the main function of each
 * thread that is the engine's and not the program's. At most 15 bytes. */
void kthread_name(const char *name);
void kthread_name_begin(void); /* on a thread of the program's, before the first of ours */
void kthread_name_reset(
    void); /* a thread of the program's that one of ours made has a name of the program's */

/* The signal that stops workers, which engine threads leave open; 0: there is none (stop.c). */
extern int stop_signal;
void signals_block(sigset_t *old); /* all but those a fault raises */
void signals_restore(const sigset_t *old);
uint64_t signals_of_engine(void); /* what signals_block sets, as the kernel's word */
void rseq_find(void); /* once, on a plain thread; says so in one line if it cannot be had */
void rseq_leave(void);
void rseq_join(void);

#endif
