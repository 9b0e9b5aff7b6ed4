/* SPDX-License-Identifier: MIT
 *
 * fault_points.h - in a checked build a program may make requests of the library fail.
 *
 * Before the library asks for memory, for a thread, or makes a system call of its own (raw.h), it
 * calls the program's umsshim_fault_point(), if the program has one. It may call it on any thread,
 * a carrier too: the function takes no lock, and uses no thread-local data. The library does not
 * ask before calls that it makes for the program.
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
