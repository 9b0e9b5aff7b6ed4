/* SPDX-License-Identifier: MIT
 *
 * give_way.h - schedulers under a real-time policy let threads of their priority run.
 *
 * Under SCHED_FIFO a thread keeps its processor until it waits. A scheduler whose workers only
 * yield never does, and a switch in user mode gives no processor away: a thread that is made, ends,
 * or is woken by a worker would never run. So such a scheduler yields its processor every few
 * milliseconds, in ExecuteUmsThread. A timer, whose thread runs above the program's priority
 * (os/policy.h), asks for that by the word that stops schedulers. So a switch takes no longer.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_GIVE_WAY_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_GIVE_WAY_H

#include <stdbool.h>

/* A scheduler under such a policy begins, or leaves. */
void give_way_begin(void);
void give_way_end(void);
/* In a child after fork. */
void give_way_forget(void);

#endif
