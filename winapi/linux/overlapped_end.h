/* SPDX-License-Identifier: MIT
 *
 * overlapped_end.h - publishes the end of an overlapped operation, and frees its memory. For
 * overlapped.c, and for calls that give up an operation before they begin it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_END_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_END_H

#include "winapi/linux/overlapped.h"

/* Memory for a new operation, on one of the program's threads. NULL: no memory. Its packet is
 * packet_memory's; the rest is not set. */
struct operation *operation_memory(struct plat_thread *self, size_t extra);
/* Takes memory for the packet or procedure of an operation on the caller's stack, if it `tells` by
 * one. False: no memory. */
bool operation_end_memory(struct plat_thread *self, struct operation *operation, bool tells);
/* Moves the operation from the stack of the caller, who has begun it, to memory of its own, if it
 * is not there yet. NULL: no memory, and nothing has changed. */
struct operation *operation_keep(struct operation *operation);
/* Drops the operation's references, and frees its memory, on any thread. */
void operation_free(struct operation *operation);

/* Sets Internal to STATUS_PENDING, and resets the event or the file. Called before another thread
 * can end the operation; a second call does nothing. */
void operation_pends(struct operation *operation);
/* Publishes the operation, which is out of its file's queue. `at_once`: the call that began it
 * still runs, and has succeeded. On any thread. The operation is freed; the caller gets its
 * reference to the file. */
void operation_publish(struct operation *operation, bool at_once);
/* Publishes the operation as cancelled. It never was in its file's queue, or was taken out without
 * operation_take_out. */
void operation_abort(struct operation *operation);

/* ---- A transfer that is over at its first call ----
 *
 * With a port, and neither an event nor a procedure, it needs no operation: only its caller knows
 * of it, it is in no queue, and so no other thread can cancel it. Until at_once_over the packet's
 * memory is the caller's, and from then on the port's, or spare. If the first call does not end the
 * transfer, the caller gives the memory back, and makes an operation with what that call has
 * returned. To make that takes the same memory again, and cannot fail. */

/* The packet's memory. NULL: there is none, or the transfer needs an operation in any case. */
struct packet *at_once_packet(struct file *file, const OVERLAPPED *overlapped,
                              LPOVERLAPPED_COMPLETION_ROUTINE routine);
/* Gives the memory back. */
void at_once_spare(struct packet *packet);
/* Publishes the end of the transfer, as operation_publish does. Takes over the caller's reference
 * to the file. */
void at_once_over(struct file *file, OVERLAPPED *overlapped, struct packet *packet, DWORD bytes);

/* Waits until the OVERLAPPED's operation is over. False: the deadline came first. */
bool overlapped_wait(const OVERLAPPED *overlapped, uint64_t deadline);

#endif
