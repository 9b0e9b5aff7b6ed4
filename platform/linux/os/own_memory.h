/* SPDX-License-Identifier: MIT
 *
 * own_memory.h - whether the caller's memory is another process's, as in a vfork's child. For such
 * a child the kernel keeps other actions and signals than for the process that owns the memory.
 *
 * A page holds the id of the process that owns the memory. The kernel wipes that page in each copy
 * of the memory (fork, `_Fork`, a bare clone), so a copy finds no owner there until it notes
 * itself. So a copy is never taken for a vfork's child, not even in fork handlers that run before
 * the library's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_MEMORY_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_MEMORY_H

#include <stdbool.h>

/* Notes the caller's process as the owner of its memory. Called when the engine starts. */
void own_memory_note(void);
/* The same in a child after fork, if the parent had an engine. */
void own_memory_forked(void);
bool own_memory_is_anothers(void);

#endif
