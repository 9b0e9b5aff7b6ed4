/* SPDX-License-Identifier: MIT
 *
 * create_file.h - a file for writing, made anew at a path that comes from the environment.
 *
 * A link on the path is followed only if its owner may decide where the caller writes: the caller's
 * own user, and for a folder also root. Else any user who may write in a folder on the path (/tmp)
 * could make the caller empty one of its own files. Opening never waits: a FIFO must have a reader
 * already.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CREATE_FILE_H
#define UMSSHIM_PLATFORM_LINUX_OS_CREATE_FILE_H

/* A descriptor, or -errno: -ELOOP for a link of another user's, -ENXIO for a FIFO without a reader.
 * The descriptor does not wait (O_NONBLOCK). */
long create_file(const char *path);

#endif
