/* SPDX-License-Identifier: MIT
 *
 * own_tid.h - the kernel's ids of the process and of the thread that asks, a carrier's of what runs
 * on it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H

#include <stdbool.h>
#include <sys/types.h>

/* Where a sandbox refuses the call /proc is asked; without that either, a line ends the process. */
pid_t own_tid(void);
pid_t own_pid(void);
/* As /proc numbers this process; 0: there is no /proc. */
pid_t own_pid_in_proc(void);

/* Which process the engine is in; and whether the caller is in another one, a copy that no fork
 * handler saw, since a bare clone made it. */
void own_process_note(void);
bool own_process_is_another(void);

#endif
