/* SPDX-License-Identifier: MIT
 *
 * under_tool.h - tools that come between the program and the system, and what cannot be had then.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_UNDER_TOOL_H
#define UMSSHIM_PLATFORM_LINUX_OS_UNDER_TOOL_H

#include <stdbool.h>

/* The thread sanitizer keeps a record for each thread that its own pthread_create made, and crashes
 * in any function that it replaces where there is none. This library's threads have none. True: it
 * is in this process, and one line has said that no thread can be made here. */
bool thread_sanitizer_found(void);

/* valgrind makes the program's system calls itself, one thread at a time: it refuses seccomp, and
 * stands still in an io_uring_enter that waits. */
bool valgrind_found(void);

/* A debugger, strace or the like holds the calling process's first thread: it stops at each signal.
 */
bool tracer_found(void);

#endif
