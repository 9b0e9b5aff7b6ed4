/* SPDX-License-Identifier: MIT
 *
 * program_end.h - the process ends with the last of the program's threads.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_PROGRAM_END_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_PROGRAM_END_H

#include <stdint.h>

void program_thread_leaves(void); /* on a thread made by pthread_create, when its routine is over */
void program_end(uint32_t code);  /* may return: then libc, or another thread's end, ends the
                                   * process */
void program_threads_forget(void);

#endif
