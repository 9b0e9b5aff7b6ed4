/* SPDX-License-Identifier: MIT
 *
 * give_way.h - schedulers under a real-time policy let threads of their priority run.
 *
 * Under SCHED_FIFO a thread keeps its processor until it waits. A scheduler whose workers only
 * yield never does, and a switch in user mode gives no processor away: a thread that is made, or
 * ends, or is woken by a worker would come never. So such a scheduler yields its processor as well,
 * at an ExecuteUmsThread every few milliseconds, as a worker's loop over sched_yield would all the
 * time. A timer, which runs above the program's priority (os/policy.h), asks for that by the word
 * that stops schedulers: nothing is added to the way of a switch.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_GIVE_WAY_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_GIVE_WAY_H

#include <stdbool.h>

/* By one more scheduler under such a policy, and by one that leaves. */
void give_way_begin(void);
void give_way_end(void);
/* In a child after fork. */
void give_way_forget(void);

#endif
