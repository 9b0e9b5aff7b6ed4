/* SPDX-License-Identifier: MIT
 *
 * program_threads.h - how many threads of the program's there are.
 *
 * Engine threads and a pool's do not count: they do not keep a process from ending. program_end.c
 * says who counts when.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H

#include <stdbool.h>

enum { PROGRAM_THREAD_PLACES = 64 }; /* they are counted in so many */

/* Counts one more, before it is created; the new thread's plat_tls.counted_at is to be what this
 * gives. */
unsigned program_thread_began(void);
void program_thread_failed(unsigned counted_at); /* takes it back: it could not be created */
/* True: that was the last one that was counted. It is to call program_end. */
bool program_thread_ended(unsigned counted_at);
/* A scheduler begins or ends on its thread, which is counted. */
void program_scheduler_entered(void);
void program_scheduler_left(void);
bool program_has_threads(void);
void program_threads_reset(void); /* to one: in a child after fork */

#endif
