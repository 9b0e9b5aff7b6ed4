/* SPDX-License-Identifier: MIT
 *
 * slow_file.h - a file whose pages take their time: on a FUSE file system that a child process serves.
 *
 * It is mounted for the calling thread alone, in a mount name space of its own, and only root may do that.
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

/* Byte n of the file is n / 4096 % 251 + 1, and each read of it takes so long. NULL, or why it cannot be had. */
const char *slow_file_make(struct slow_file *file, unsigned read_us);
void slow_file_drop(struct slow_file *file);

#endif
