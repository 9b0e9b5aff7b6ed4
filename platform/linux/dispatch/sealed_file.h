/* SPDX-License-Identifier: MIT
 *
 * sealed_file.h - memory that processes share: a file without a path, whose size nobody can change,
 * and whose pages are there from the beginning. So who has it mapped never faults, also where
 * memory is short by then.
 *
 * Bare system calls only.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SEALED_FILE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SEALED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEALED_MOST = 64 << 10 }; /* bytes */

/* A descriptor of the library's own, or -errno. */
int sealed_file(const char *text, size_t bytes);
/* Of such an error, or of one of a lock on such a file: 4, 8 or FOLDER_REFUSED. */
int sealed_file_error(long error);
/* Maps one that another process may have made. 0; 1306: it is not as above; 8. */
int sealed_file_map(int fd, size_t bytes, void **memory, uint64_t *number);
/* Whether the kernel would refuse a file of that size by SIGXFSZ (RLIMIT_FSIZE). */
bool file_size_limited(uint64_t bytes);

#endif
