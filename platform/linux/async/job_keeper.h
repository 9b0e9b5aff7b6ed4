/* SPDX-License-Identifier: MIT
 *
 * job_keeper.h - a process beside this one that ends marked processes (process_mark.h) when this
 * one is no more, however it ended: for jobs that are killed with their last handle, which the
 * system closes with the process.
 *
 * The keeper is made with the first mark, and ends with this process. It has nothing of this one
 * but the socket that it hears of marks by, whose end is how it learns that this process is gone.
 * This process's end is closed by an exec, too. A fork's child closes its copy.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_JOB_KEEPER_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_JOB_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

enum { KEEPER_MARKS = 1024 }; /* as many at a time */

/* From now on the keeper ends the processes with this mark when this process is gone; or it does so
 * no more. False: there are too many marks, or no keeper can be made. */
bool job_keeper_add(uint64_t mark);
void job_keeper_remove(uint64_t mark);
void job_keeper_forget(void); /* in a child after fork */

#endif
