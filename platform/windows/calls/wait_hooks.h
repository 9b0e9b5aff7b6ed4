/* SPDX-License-Identifier: MIT
 *
 * wait_hooks.h - the hooks of waits in user mode: see wait_hooks.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_WAIT_HOOKS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_WAIT_HOOKS_H

#include "platform/windows/os/hooks.h"

/* Called at the first UMS call; returns how many hooks were refused. wait_hooks_remove takes the
 * hooks off again where workers are pinned. */
int wait_hooks_install(void);
extern struct hook wait_hooks[];
extern const size_t wait_hook_count;
void wait_hooks_remove(void);

#endif
