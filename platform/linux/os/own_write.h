/* SPDX-License-Identifier: MIT
 *
 * own_write.h - a write that the library makes for itself, not for the program: a line on stderr, a
 * trace.
 *
 * A write past the process's limit for files, and one to a pipe whose reader has gone, raise a
 * signal that ends the process (SIGXFSZ, SIGPIPE). The program knows nothing of this write, so it
 * gets no signal of it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_WRITE_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_WRITE_H

#include <stddef.h>

/* How many bytes were written, or -errno. Bare system calls; any thread. */
long own_write(int fd, const void *data, size_t bytes);

#endif
