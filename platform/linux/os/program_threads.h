/* SPDX-License-Identifier: MIT
 *
 * program_threads.h - how many threads of the program's there are.
 *
 * Engine threads and a pool's do not count: they do not keep a process from ending. program_end.c says who
 * counts when.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROGRAM_THREADS_H

#include <stdbool.h>

void program_thread_began(void);  /* counts one more, before it is created */
void program_thread_failed(void); /* takes it back: it could not be created */
/* True: that was the last one that was counted. It is to call program_end. */
bool program_thread_ended(void);
bool program_has_threads(void);
void program_threads_reset(void); /* to one: in a child after fork */

#endif
