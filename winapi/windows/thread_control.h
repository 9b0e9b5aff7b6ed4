/* SPDX-License-Identifier: MIT
 *
 * thread_control.h - hooks for the ends and suspensions of threads (thread_control.c).
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_THREAD_CONTROL_H
#define UMSSHIM_WINAPI_WINDOWS_THREAD_CONTROL_H

#include <stddef.h>

#include "platform/windows/os/hooks.h"

extern struct hook thread_control_hooks[];
extern const size_t thread_control_hook_count;

/* Returns the number of hooks that could not be set. */
int thread_control_install(void);
void thread_control_remove(void);

/* Called in DLL_THREAD_DETACH, on the thread that ends. */
void thread_control_detach(void);
/* Called at the end of the process, on the thread that ends it. */
void thread_control_process_ends(void);

#endif
