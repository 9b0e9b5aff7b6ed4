/* SPDX-License-Identifier: MIT
 *
 * bare_thread.h - kernel threads that libc knows nothing of.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_BARE_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_OS_BARE_THREAD_H

#include <stddef.h>
#include <stdint.h>

/* Makes a thread on which workers may depend to go on. It runs only the library's own code, with
 * its creator's signal mask. 0 or errno. */
int bare_thread_create(size_t stack_bytes, void *(*main)(void *), void *arg);
void bare_thread_init(void); /* once, on a thread of libc's */
void bare_threads_forget(void);

/* The start of a thread or process that a program's own clone makes. bare_clone.S pops it, and the
 * program's stack begins after it. */
struct bare_start {
    uint32_t mxcsr;
    uint16_t x87, unused;
    void **cleared; /* for a copy of the process: a word that is set to NULL there. NULL: it is a
                     * thread */
    uint64_t mask;  /* for a copy: the signals that it blocks */
    uint64_t r8, r9, r10, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, flags, rip;
};
long bare_clone_into(unsigned long flags, struct bare_start *start, int *parent_tid, int *child_tid,
                     uintptr_t fs);
/* The addresses after the `syscall` of each, for the filter. */
extern const char bare_clone_ip[], bare_clone_into_ip[];

#endif
