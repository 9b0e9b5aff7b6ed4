/* SPDX-License-Identifier: MIT
 *
 * thread_name.h - the name that SetThreadDescription gave a thread of this process.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_NAME_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In UTF-8. False: the thread has no name, or is gone. Uses no heap, so that a thread may call it
 * at its end. */
bool thread_name_of(uint32_t id, char *name, size_t room);

#endif
