/* SPDX-License-Identifier: MIT
 *
 * own_memory.h - whether the caller's memory is another process's, as in a vfork's child. For such
 * a child the kernel keeps other actions and signals than for the process whose memory it is.
 *
 * The process id that owns the memory stands in a page that the kernel wipes in each copy of the
 * memory (fork, `_Fork`, a bare clone): a copy finds no owner there until it notes itself. So a
 * copy is never taken for a vfork's child, also in fork handlers that run before the library's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_MEMORY_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_MEMORY_H

#include <stdbool.h>

/* The caller's process owns its memory: the engine is there. */
void own_memory_note(void);
/* The same in a child after fork, where the engine was there before. */
void own_memory_forked(void);
bool own_memory_is_anothers(void);

#endif
