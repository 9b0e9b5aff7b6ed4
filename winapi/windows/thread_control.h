/* SPDX-License-Identifier: MIT
 *
 * thread_control.h - see thread_control.c.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_THREAD_CONTROL_H
#define UMSSHIM_WINAPI_WINDOWS_THREAD_CONTROL_H

#include <stddef.h>

#include "platform/windows/os/hooks.h"

extern struct hook thread_control_hooks[];
extern const size_t thread_control_hook_count;

/* How many hooks were refused. */
int thread_control_install(void);
void thread_control_remove(void);

/* In DLL_THREAD_DETACH of the calling thread. */
void thread_control_detach(void);
/* The process ends, on the calling thread. */
void thread_control_process_ends(void);

#endif
