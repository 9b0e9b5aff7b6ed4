/* SPDX-License-Identifier: MIT
 *
 * thread_handle.h - the thread behind a handle, whatever the handle's rights are.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_HANDLE_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_HANDLE_H

#include <stdint.h>
#include <windows.h>

/* The thread's id; 0 with the last error: 6, not a thread's handle; 5, no right to know. */
uint32_t thread_handle_id(HANDLE thread);

#endif
