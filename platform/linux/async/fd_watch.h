/* SPDX-License-Identifier: MIT
 *
 * fd_watch.h - one thread of the engine waits for descriptors to become readable. It is for events
 * that come once and rarely, such as the end of a process. The first watch makes it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_FD_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_FD_WATCH_H

#include <stdbool.h>

/* Calls ready(arg) on that thread when the descriptor is readable, until it returns true. Then the
 * watch is over; `ready` may have closed the descriptor. `ready` may use the heap and take locks,
 * and must not block. 0, or 8: there is no memory, or no thread. */
int fd_watch(int fd, bool (*ready)(void *arg), void *arg);
/* Ends the watch of the descriptor. To be called before any code but `ready` closes it. A call of
 * `ready` may be under way; then its result is ignored. Does not wait; uses the heap. */
void fd_watch_end(int fd);
/* In a child after fork: nothing is watched, and the thread is not there. */
void fd_watch_forget(void);

#endif
