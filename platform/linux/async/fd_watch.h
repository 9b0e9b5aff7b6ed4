/* SPDX-License-Identifier: MIT
 *
 * fd_watch.h - one thread of the engine's waits for descriptors to become readable. It serves
 * things that end once and rarely, such as processes. The first watch makes it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_FD_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_FD_WATCH_H

#include <stdbool.h>

/* Calls ready(arg) on that thread when the descriptor is readable, until it returns true. Then
 * nothing is known of it any more, and `ready` itself may have closed it. May use the heap and take
 * locks, and must not block. 0, or 8: there is no memory, or no thread. */
int fd_watch(int fd, bool (*ready)(void *arg), void *arg);
/* Nobody watches the descriptor any more: before it is closed by others than `ready`. A call of
 * `ready` may be under way, and then its answer counts for nothing. Waits for nothing; the heap. */
void fd_watch_end(int fd);
/* In a child after fork: nothing is watched, and the thread is not there. */
void fd_watch_forget(void);

#endif
