/* SPDX-License-Identifier: MIT
 *
 * bare_thread.h - kernel threads that libc knows nothing of.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_BARE_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_OS_BARE_THREAD_H

#include <stddef.h>

/* For what workers may depend on to go on; runs the library's own code only, with its creator's signal mask.
 * 0 or errno. */
int bare_thread_create(size_t stack_bytes, void *(*main)(void *), void *arg);
void bare_thread_init(void); /* once, on a thread of libc's */
void bare_threads_forget(void);

#endif
