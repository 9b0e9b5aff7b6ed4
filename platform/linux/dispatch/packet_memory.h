/* SPDX-License-Identifier: MIT
 *
 * packet_memory.h - memory of packets, and of the operations that packets tell of
 * (packet_memory.c).
 *
 * A thread keeps a few blocks of packets that it has taken, for packets that it makes next. A
 * server begins an operation for each that ends, and the heap is slow with so many blocks of one
 * size.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PACKET_MEMORY_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PACKET_MEMORY_H

#include "platform/linux/dispatch/thread_object.h"

struct packet;

/* Blocks of two sizes are kept. A small one has room for a packet or an APC; the other one for an
 * operation on a socket with one buffer. */
enum { PACKET_SMALL = 56, PACKET_BLOCK = 576 };

/* Memory of so many bytes that begins with a packet. Only the packet's `room` is set, and the
 * caller leaves it as it is. NULL: no memory. */
struct packet *packet_memory(struct plat_thread *self, size_t bytes);
/* Frees any packet's memory, or keeps it. On the thread itself, where it may use the heap. */
void packet_free(struct plat_thread *self, struct packet *packet);
/* Frees the blocks of a thread that is gone. */
void packets_free(struct plat_thread *thread);

#endif
