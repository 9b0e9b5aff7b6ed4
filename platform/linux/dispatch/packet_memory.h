/* SPDX-License-Identifier: MIT
 *
 * packet_memory.h - memory of packets, and of what packets are made from (packet_memory.c).
 *
 * A thread keeps a few blocks that it has taken packets from, for those that it makes next: a
 * server begins an operation for each that ends, and the heap is slow with so many of one size.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PACKET_MEMORY_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PACKET_MEMORY_H

#include "platform/linux/dispatch/thread_object.h"

struct packet;

/* A block that is kept has room for an operation on a socket with one buffer. */
enum { PACKET_BLOCK = 576 };

/* Memory of so many bytes that begins with a packet, of which only `room` is set: it stays as it
 * is. NULL: there is none. */
struct packet *packet_memory(struct plat_thread *self, size_t bytes);
/* Any packet's memory. On the thread itself, where it may use the heap. */
void packet_free(struct plat_thread *self, struct packet *packet);
/* The thread is gone. */
void packets_free(struct plat_thread *thread);

#endif
