/* SPDX-License-Identifier: MIT
 *
 * proc_text.h - reading a small file of /proc's, without libc and without the heap.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROC_TEXT_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROC_TEXT_H

#include <fcntl.h>
#include <stddef.h>

#include "platform/linux/os/raw.h"

/* Reads the beginning of the file, as text that ends with 0: nothing where it cannot be read. */
static inline void proc_text(const char *path, char *text, size_t bytes)
{
    long file = RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long length = file < 0 ? file : RAW3(SYS_read, file, text, bytes - 1);
    if (file >= 0)
        RAW1(SYS_close, file);
    text[length > 0 ? length : 0] = 0;
}

#endif
