/* SPDX-License-Identifier: MIT
 *
 * overlapped_end.h - the end of an overlapped operation: publishing it, and its memory. For
 * overlapped.c, and for calls that give up an operation before they begin it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_END_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_END_H

#include "winapi/linux/overlapped.h"

/* Of a new operation, on the calling thread, one of the program's. NULL: there is none. Its packet
 * is packet_memory's, the rest is not set. */
struct operation *operation_memory(struct plat_thread *self, size_t extra);
/* Drops its references; the memory is free after that, on any thread. */
void operation_free(struct operation *operation);

/* The OVERLAPPED says that the operation goes on, and nothing is signalled. Before another thread
 * may end it; the second time does nothing. */
void operation_pends(struct operation *operation);
/* It is out of its file's queue. `at_once`: the call that began it still runs, and has succeeded.
 * Any thread. The operation is gone; its reference to the file is the caller's. */
void operation_publish(struct operation *operation, bool at_once);
/* Publishes that it was cancelled: one that never was in its file's queue, or that nobody waits for
 * there. */
void operation_abort(struct operation *operation);

/* Wakes those in overlapped_wait. */
void overlapped_wake(const OVERLAPPED *overlapped);
/* Waits until the OVERLAPPED's operation is over; false: the time came first. */
bool overlapped_wait(const OVERLAPPED *overlapped, uint64_t deadline);

#endif
