/* SPDX-License-Identifier: MIT
 *
 * under_tool.h - tools between the program and the system, and what does not work under them.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_UNDER_TOOL_H
#define UMSSHIM_PLATFORM_LINUX_OS_UNDER_TOOL_H

#include <stdbool.h>

/* The thread sanitizer keeps a record for each thread that its own pthread_create made. In a thread
 * without a record, such as this library's, it crashes in any function that it replaces. True: it
 * is in this process, and a line has said that no thread can be made here. */
bool thread_sanitizer_found(void);

/* valgrind makes the program's system calls itself, one thread at a time: it refuses seccomp, and
 * all threads stand still in an io_uring_enter that waits. */
bool valgrind_found(void);

/* Whether a debugger, strace or the like traces the process's first thread: it stops at each
 * signal.
 */
bool tracer_found(void);

#endif
