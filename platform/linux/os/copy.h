/* SPDX-License-Identifier: MIT
 *
 * copy.h - copying from and to memory that the program named, where a bad pointer is an answer and
 * not a crash: the kernel does the copy.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_COPY_H
#define UMSSHIM_PLATFORM_LINUX_OS_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Copies from, to the program's memory: 0, or -EFAULT for a bad pointer, or another error where
 * this system offers no way to copy. No heap, no libc lock; any thread. */
int copy_in(void *to, const void *from, size_t bytes);
int copy_out(void *to, const void *from, size_t bytes);

struct call_room;
/* As copy_out, to memory where the kernel has written for a worker that waits. What lies on its
 * stack takes no system call: where another thread takes that from the worker meanwhile, by
 * mprotect or munmap, this is SIGSEGV and not -EFAULT. */
int copy_out_to(const struct call_room *stack, void *to, const void *from, size_t bytes);

bool copy_is_direct(void); /* no copy was refused so far */

/* In a child after fork. */
void copy_forget(void);

#endif
