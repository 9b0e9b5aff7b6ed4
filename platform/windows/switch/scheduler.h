/* SPDX-License-Identifier: MIT
 *
 * scheduler.h - the end of a scheduler's thread.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_SCHEDULER_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_SCHEDULER_H

#include <stdint.h>

struct plat_context;

/* The calling scheduler ends its thread. */
_Noreturn void scheduler_exits(struct plat_context *scheduler, uint32_t exit_code);

#endif
