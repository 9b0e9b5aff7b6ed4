/* SPDX-License-Identifier: MIT
 *
 * births.h - a gate before the creation of a program's threads, for changes that go from thread to
 * thread.
 *
 * A new thread gets its creator's processors at some moment within clone, and /proc/self/task names
 * it at the end of clone only. So a change that goes from one listed thread to the next misses a
 * thread in between: its creator has the new processors already, but it has the old ones, and
 * passes these on. Therefore the changing thread closes the gate, waits until no thread is in
 * between, goes through the list, and opens the gate.
 *
 *     birth_begins(at);                   the creator; waits while the gate is closed
 *     error = LIBC(pthread_create)(...);
 *     birth_made(at, error);
 *     birth_over(at);                     the new thread, once it has the processors that it keeps
 *
 * `at` is where the thread is counted (program_threads.h): births on two processors write to two
 * lines. From birth_begins to birth_made the creator counts as one that holds a lock, so it is not
 * stopped there. A thread that holds a lock does not wait at the gate: an allocator that creates a
 * thread of its own inside pthread_create goes through.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_BIRTHS_H
#define UMSSHIM_PLATFORM_LINUX_OS_BIRTHS_H

void birth_begins(unsigned at);
void birth_made(unsigned at, int error);
void birth_over(unsigned at);
/* Closes the gate, and returns when no thread is in between. Another thread's births_stop waits
 * until births_go_on. */
void births_stop(void);
void births_go_on(void);  /* by the same thread */
void births_forget(void); /* in a child after fork */

#endif
