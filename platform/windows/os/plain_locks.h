/* SPDX-License-Identifier: MIT
 *
 * plain_locks.h - which threads without a context have a lock of the engine's, or wait for one.
 *
 * A context counts its own locks, but a plain thread has no context. It must not be stopped or
 * ended with a lock either. The place where it stands does not tell: with the lock it may be in the
 * C library or in the system. So a table has a word with the thread's id for each such lock, from
 * before the thread takes it until after it has released it.
 *
 * The thread itself writes the word and takes it away. Other threads read it while that thread
 * stands still. If another process ends the thread its words stay, as its locks do.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_PLAIN_LOCKS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_PLAIN_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread has one lock more, or one less. If the table already has 256 the lock is not
 * noted: then only the place where the thread stands tells. */
void plain_locks_add(void);
void plain_locks_remove(void);

bool plain_locks_of(uint32_t thread_id);

#endif
