/* SPDX-License-Identifier: MIT
 *
 * refused.h - system calls of ours that a sandbox refuses.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_REFUSED_H
#define UMSSHIM_PLATFORM_LINUX_OS_REFUSED_H

#include <errno.h>
#include <stdbool.h>

/* A sandbox answers so to a call that it does not know, or forbids. The library may make another
 * call than the program does: that such a call is refused does not mean that the program's is. */
static inline bool call_was_refused(long result)
{
    return result == -EPERM || result == -EACCES || result == -ENOSYS;
}

/* Whether a sandbox refuses rt_tgsigqueueinfo, by which the library sends a thread a signal with a
 * value. */
bool queueing_refused(void);

#endif
