/* SPDX-License-Identifier: MIT
 *
 * slow_file.h - a file whose pages come slowly: it is on a FUSE file system that a child process
 * serves.
 *
 * Only the calling thread sees that file system, in a mount name space of its own. Only root may do
 * that.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SLOW_FILE_H
#define UMSSHIM_TESTS_SUPPORT_SLOW_FILE_H

#include <sys/types.h>

enum { SLOW_FILE_PAGES = 512 };

struct slow_file {
    char folder[64], path[80];
    int mounted;
    pid_t server;
};

/* Byte n of the file is n / 4096 % 251 + 1, and each read takes `read_us`. Returns NULL, or why
 * there can be no such file. */
const char *slow_file_make(struct slow_file *file, unsigned read_us);
void slow_file_drop(struct slow_file *file);

#endif
