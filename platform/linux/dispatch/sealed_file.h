/* SPDX-License-Identifier: MIT
 *
 * sealed_file.h - memory that processes share: a file without a path. No process can change its
 * size, and its pages are there from the beginning. So a process that has it mapped never faults
 * there, even when memory is short.
 *
 * Bare system calls only.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SEALED_FILE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SEALED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEALED_MOST = 64 << 10 }; /* bytes */

/* Makes such a file: a descriptor of the library's own, or -errno. */
int sealed_file(const char *text, size_t bytes);
/* Turns such an error, or one of a lock on such a file, into 4, 8 or FOLDER_REFUSED. */
int sealed_file_error(long error);
/* Maps one that another process may have made. 0; 1306: it is not as above; 8. */
int sealed_file_map(int fd, size_t bytes, void **memory, uint64_t *number);
/* Whether the kernel would refuse a file of that size by SIGXFSZ (RLIMIT_FSIZE). */
bool file_size_limited(uint64_t bytes);

#endif
