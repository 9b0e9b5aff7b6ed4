/* SPDX-License-Identifier: MIT
 *
 * job_keeper.h - a process, the keeper, that ends marked processes (process_mark.h) when this
 * process has ended, in whatever way. It is for jobs that are killed with their last handle, which
 * the system closes with the process.
 *
 * The first mark makes the keeper, which ends with this process. It shares nothing with this
 * process but a socket, by which it hears of marks. When that is closed it knows that this process
 * is gone. An exec closes this process's end, too, and a child of fork closes its copy.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_JOB_KEEPER_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_JOB_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

enum { KEEPER_MARKS = 1024 }; /* the most marks at a time */

/* From now on the keeper ends the processes with this mark when this process is gone.
 * job_keeper_remove takes that back. False: there are too many marks, or no keeper can be made. */
bool job_keeper_add(uint64_t mark);
void job_keeper_remove(uint64_t mark);
void job_keeper_forget(void); /* in a child after fork */

#endif
