/* SPDX-License-Identifier: MIT
 *
 * late_ends.h - threads of workers that have arrived as terminated, but that the system has not
 * quite ended yet.
 *
 * A worker's thread queues the worker as terminated, and then calls NtTerminateThread. The program
 * may end the process then. On Windows that is no matter. Wine ends the other threads of a process
 * by a signal each, and a thread that has given back its thread-local data by then meets the signal
 * without a TEB: the whole process dies of SIGSEGV, whatever its exit code was to be (Wine 8, once
 * in some hundred runs of a program that ends with its last worker). A thread whose handle is
 * signalled gets no such signal. So under Wine the end of the process waits for these threads'
 * handles first, for LATE_ENDS_MS at most. They need nothing of any other thread.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_LATE_ENDS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_LATE_ENDS_H

#include <stdint.h>

enum { LATE_ENDS_MS = 100 };

/* Notes that the thread makes its last system call next. Any thread. Takes no lock, and writes to a
 * cache line that other threads write only if their ids are neighbours. */
void late_ends_note(uint32_t thread_id);

/* The thread that is to end the others calls it, without any lock of ours. On a real Windows it
 * does nothing. */
void late_ends_wait(void);

#endif
