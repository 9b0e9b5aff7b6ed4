/* SPDX-License-Identifier: MIT
 *
 * wake_file.h - a descriptor that is readable once somebody has written eight bytes to it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_WAKE_FILE_H
#define UMSSHIM_PLATFORM_LINUX_OS_WAKE_FILE_H

/* An event counter, or where a sandbox refuses these a pipe that has both ends in one descriptor.
 * Who reads may be told more often than once for several writes. `flags`: O_NONBLOCK or 0. Above
 * the program's descriptors (own_files.h); -errno. */
int wake_file_open(int flags);

#endif
