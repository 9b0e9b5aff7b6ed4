/* SPDX-License-Identifier: MIT
 *
 * copy.h - copying from and to memory that the program named. The kernel makes the copy, so a bad
 * pointer gives an error and not a crash.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_COPY_H
#define UMSSHIM_PLATFORM_LINUX_OS_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Copies from, to the program's memory: 0, or -EFAULT for a bad pointer, or another error if this
 * system offers no way to copy. No heap, no libc lock; any thread. */
int copy_in(void *to, const void *from, size_t bytes);
int copy_out(void *to, const void *from, size_t bytes);

struct call_room;
/* As copy_out, to memory that a waiting worker named. If it lies on that worker's stack this makes
 * no system call: then SIGSEGV comes, and not -EFAULT, if another thread has taken the memory away
 * meanwhile, by mprotect or munmap. */
int copy_out_to(const struct call_room *stack, void *to, const void *from, size_t bytes);

bool copy_is_direct(void); /* no copy was refused so far */

/* In a child after fork. */
void copy_forget(void);

#endif
