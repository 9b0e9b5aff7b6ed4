/* SPDX-License-Identifier: MIT
 *
 * waiting_receive.h - a receive of the library's own (front.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_WAITING_RECEIVE_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_WAITING_RECEIVE_H

#include <sys/types.h>

/* As libc's recv without flags. On a worker it waits whether or not the descriptor is one that
 * waits, so the kernel is not asked about that. It does not look whether the thread is to stop: the
 * caller does. */
ssize_t waiting_receive(int fd, void *buffer, size_t bytes);

#endif
