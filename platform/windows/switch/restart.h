/* SPDX-License-Identifier: MIT
 *
 * restart.h - a scheduler's position on its stack, to which it comes back: restart.S.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_RESTART_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_RESTART_H

/* Stores the stack position and calls fn(arg) there, which does not return. The result is that of
 * sched_return. */
int sched_base(void **sp, void (*fn)(void *), void *arg);
/* Drops what is above the position, and lets its sched_base return. */
_Noreturn void sched_return(void *sp, int result);

#endif
