/* SPDX-License-Identifier: MIT
 *
 * libc_thread.h - libc's own pthread_join and pthread_detach, for threads that libc's own
 * pthread_create made.
 *
 * The program's functions may be a sanitizer's. Those know only threads that its own pthread_create
 * made, and end the program if they get another.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBC_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBC_THREAD_H

#include <pthread.h>

/* 0 or an error, as the functions say. */
int libc_thread_join(pthread_t thread, void **result);
int libc_thread_detach(pthread_t thread);

#endif
