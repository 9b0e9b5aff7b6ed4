/* SPDX-License-Identifier: MIT
 *
 * program_threads.h - the number of the program's threads.
 *
 * Engine threads and a pool's threads do not count: they do not keep a process from ending.
 * program_end.c says which threads count, and when.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H

#include <stdbool.h>

enum { PROGRAM_THREAD_PLACES = 64 }; /* the number of counts */

/* Counts a thread before it is created. The result goes to the new thread's
 * plat_tls.counting.at. */
unsigned program_thread_began(void);
void program_thread_failed(unsigned counted_at); /* takes it back: it could not be created */
/* True: it was the last thread that was counted, and calls program_end. */
bool program_thread_ended(unsigned counted_at);
/* A scheduler begins or ends on its thread, which is counted already. */
void program_scheduler_entered(void);
void program_scheduler_left(void);
bool program_has_threads(void);
void program_threads_reset(void); /* to one: in a child after fork */

#endif
