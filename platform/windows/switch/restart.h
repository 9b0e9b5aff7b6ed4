/* SPDX-License-Identifier: MIT
 *
 * restart.h - a scheduler's position on its stack, to which it comes back: restart.S.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_RESTART_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_RESTART_H

/* Calls fn(arg), which does not return, and stores the stack position where that was done. The
 * result is what sched_return gives. */
int sched_base(void **sp, void (*fn)(void *), void *arg);
/* Drops what is above the position: its sched_base returns. */
_Noreturn void sched_return(void *sp, int result);

#endif
