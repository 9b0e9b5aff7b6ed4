/* SPDX-License-Identifier: MIT
 *
 * looking.h - who stops whose thread for a moment, to look where it stands.
 *
 * A look lasts from before the suspend until the thread was resumed, or it is decided that it stays
 * as it is. If who looks were stopped or ended meanwhile, nobody would resume the other thread. So
 *  - who looks is not stopped by others: it counts as one with a lock;
 *  - two threads do not look at each other: who is looked at waits before it begins;
 *  - a thread that ends all others of its process waits until nobody looks at it, and nobody begins
 *    any more: who would is ended with the others. It is not stopped either, for good: who has
 *    stopped it is often who resumes it, and would wait for it in the next look.
 *
 * A look is a word in a table, and no lock: whoever stands still keeps nobody from reading it. All
 * accesses are sequentially consistent, since each party writes its word and then reads the
 * others'. Ids are those of kernel threads. Between the two calls there are system calls and the
 * engine's own memory, and nothing else.
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

/* The calling thread is about to end all others. With no lock of the engine's held. */
void looking_is_over(uint32_t by);

#endif
