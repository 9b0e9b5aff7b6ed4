/* SPDX-License-Identifier: MIT
 *
 * create_file.h - a file for writing, made anew at a path that comes from the environment.
 *
 * A link on the path is followed if its owner may say where the caller writes: the caller itself,
 * and for a folder also root. Else anybody who may write in a folder on the path (/tmp) could have
 * the caller empty any file of its own. Opening never waits: a FIFO needs its reader.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CREATE_FILE_H
#define UMSSHIM_PLATFORM_LINUX_OS_CREATE_FILE_H

/* A descriptor, or -errno: -ELOOP for a link of another user's, -ENXIO for a FIFO that nobody
 * reads. The descriptor does not wait (O_NONBLOCK). */
long create_file(const char *path);

#endif
