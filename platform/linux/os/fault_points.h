/* SPDX-License-Identifier: MIT
 *
 * fault_points.h - in a checked build a program may have the library run out of something.
 *
 * Before the library asks for memory, for a thread, or for what a system call of its own gives it
 * (raw.h), it asks the program's umsshim_fault_point() first, where the program has one; for a
 * program that has none that is a look at an address. The program may be asked on any thread, a
 * carrier too: its function takes no lock, and uses no thread-local data. Calls that are made for
 * the program are the program's own, and it is not asked about these.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_FAULT_POINTS_H
#define UMSSHIM_PLATFORM_LINUX_OS_FAULT_POINTS_H

enum { FAULT_MEMORY = -1, FAULT_THREAD = -2 };

#ifdef UMSSHIM_FAULT_POINTS
/* `what` is one of these, or a system call's number, and `argument` its second argument. 0: go on;
 * else the errno with which it is to fail. */
extern int umsshim_fault_point(long what, long argument)
    __attribute__((weak, visibility("default")));

static inline __attribute__((always_inline)) int fault_asked(long what, long argument)
{
    return umsshim_fault_point ? umsshim_fault_point(what, argument) : 0;
}
#else
static inline __attribute__((always_inline)) int fault_asked(long what, long argument)
{
    (void)what, (void)argument;
    return 0;
}
#endif

#endif
