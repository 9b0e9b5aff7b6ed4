/* SPDX-License-Identifier: MIT
 *
 * thread_name.h - what SetThreadDescription said of a thread of this process.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_NAME_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By UTF-8. False: it has none, or is gone. No heap: for a thread that ends. */
bool thread_name_of(uint32_t id, char *name, size_t room);

#endif
