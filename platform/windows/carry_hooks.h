/* SPDX-License-Identifier: MIT
 *
 * carry_hooks.h - the hooks of waits in user mode: see carry_hooks.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CARRY_HOOKS_H
#define UMSSHIM_PLATFORM_WINDOWS_CARRY_HOOKS_H

#include "platform/windows/hooks.h"

/* At the first UMS call; how many hooks were refused. Taken off again where workers are pinned. */
int carry_install(void);
extern struct hook carry_hooks[];
extern const size_t carry_hook_count;
void carry_remove(void);

#endif
