/* SPDX-License-Identifier: MIT
 *
 * wake_file.h - a descriptor that is readable once a thread has written eight bytes to it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_WAKE_FILE_H
#define UMSSHIM_PLATFORM_LINUX_OS_WAKE_FILE_H

/* Opens an event counter, or, if a sandbox refuses these, a pipe with both ends in one descriptor.
 * Several writes may need several reads. `flags`: O_NONBLOCK or 0. Returns a number above the
 * program's descriptors (own_files.h), or -errno. */
int wake_file_open(int flags);

#endif
