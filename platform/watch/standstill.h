/* SPDX-License-Identifier: MIT
 *
 * standstill.h - UMSSHIM_WATCH=seconds: says so when a scheduler has had work and was not entered
 * for so long.
 *
 * An engine looks at each of its schedulers four times in that span, at counters that they keep
 * anyway. A standstill is told once: the next time that the scheduler is entered ends it. Nothing
 * here waits for the program or uses its heap, so it works in a process that is wedged.
 * umsshim-trace and umsrun --why say what each worker waits for.
 */
#ifndef UMSSHIM_PLATFORM_WATCH_STANDSTILL_H
#define UMSSHIM_PLATFORM_WATCH_STANDSTILL_H

#include "platform/platform.h"

/* Reads the switch: nanoseconds between two looks, 0 when none are wanted. who: the command that
 * says more. */
uint64_t standstill_begin(const struct plat_core *core, const char *who);
/* The scheduler, which stays one meanwhile; its kernel thread, for people. */
void standstill_look(struct plat_context *scheduler, uint32_t thread, uint64_t now);

#endif
