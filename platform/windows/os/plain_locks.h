/* SPDX-License-Identifier: MIT
 *
 * plain_locks.h - which threads without a context have a lock of the engine's, or wait for one.
 *
 * A context counts its own locks; a plain thread has none. It must not be stopped or ended with a
 * lock either, and where it stands does not tell: with the lock it may be in the C library or in
 * the system. So each lock of such a thread is a word in a table with the thread's id, from before
 * it has the lock until it has given it back.
 *
 * Its thread writes a word and takes it away. Others read it while that thread stands still. A
 * thread that another process ends leaves its words, as it leaves the locks.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_PLAIN_LOCKS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_PLAIN_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Of the calling thread: one more, one less. Where 256 are known already one may be left out: then
 * only where the thread stands tells. */
void plain_locks_add(void);
void plain_locks_remove(void);

bool plain_locks_of(uint32_t thread_id);

#endif
