/* SPDX-License-Identifier: MIT
 *
 * looking.h - which threads have stopped another for a moment, to look where it stands.
 *
 * A look lasts from before the suspension until the other thread was resumed, or is to stay
 * suspended. If the thread that looks were stopped or ended meanwhile, the other would never be
 * resumed. So
 *  - no thread stops one that looks: it counts as one that holds a lock;
 *  - two threads do not look at each other: a thread waits while another looks at it;
 *  - a thread that ends all others of its process waits until no thread looks at it, and no thread
 *    begins to look any more. From then on it is never stopped: the thread that stopped it would
 *    wait for it in its next look, and so never resume it.
 *
 * A look is a word in a table, not a lock: a thread that stands still keeps no other from reading
 * it. All accesses are sequentially consistent, since each thread writes its word and then reads
 * the others'. Ids are those of kernel threads. Between looking_begin and looking_end a thread
 * makes system calls and touches the engine's own memory, nothing else.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_LOOKING_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_LOOKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t looking;

/* `at` 0: a thread whose id is not known. */
looking *looking_begin(uint32_t by, uint32_t at);
void looking_end(looking *look);

/* The calling thread is about to end all others. It holds no lock of the engine's. */
void looking_is_over(uint32_t by);

#endif
