/* SPDX-License-Identifier: MIT
 *
 * own_tid.h - the kernel's ids of the calling process and thread. Code that runs on a carrier gets
 * the carrier's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H

#include <stdbool.h>
#include <sys/types.h>

/* If a sandbox refuses the system call these read /proc. If that is missing, too, they write a line
 * and end the process. */
pid_t own_tid(void);
pid_t own_pid(void);
/* This process's number in /proc; 0: there is no /proc. */
pid_t own_pid_in_proc(void);

/* The first notes the engine's process. The second says whether the caller is in another one: a
 * copy by a bare clone, of which no fork handler knew. */
void own_process_note(void);
bool own_process_is_another(void);

#endif
