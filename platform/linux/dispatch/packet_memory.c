/* SPDX-License-Identifier: MIT
 *
 * packet_memory.c - see packet_memory.h.
 *
 * malloc gives each block, so free() does for any of them, also on a thread that keeps no blocks.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/packet_memory.h"
#include "platform/linux/dispatch/port.h"

enum { MOST_SPARE = 64 };

/* The size of the block to have; 0: no block of that size is kept. */
static uint32_t room_for(size_t bytes)
{
    if (bytes <= PACKET_SMALL)
        return PACKET_SMALL;
    return bytes <= PACKET_BLOCK ? PACKET_BLOCK : 0;
}

/* The thread's blocks of this size; NULL: no such block is kept. */
static struct spare_packets *spare_of(struct plat_thread *self, uint32_t room)
{
    if (room == PACKET_SMALL)
        return &self->serves.spare_small;
    return room == PACKET_BLOCK ? &self->serves.spare : NULL;
}

struct packet *packet_memory(struct plat_thread *self, size_t bytes)
{
    uint32_t room = room_for(bytes);
    struct spare_packets *spare = spare_of(self, room);
    struct packet *packet = spare ? spare->first : NULL;
    if (UMS_LIKELY(packet != NULL)) {
        spare->first = packet->next;
        spare->count--;
        return packet;
    }
    packet = malloc(room ? room : bytes);
    if (packet)
        packet->room = room;
    return packet;
}

void packet_free(struct plat_thread *self, struct packet *packet)
{
    struct spare_packets *spare = spare_of(self, packet->room);
    if (!spare || spare->count == MOST_SPARE) {
        free(packet);
        return;
    }
    packet->next = spare->first;
    spare->first = packet;
    spare->count++;
}

static void free_spare(struct spare_packets *spare)
{
    while (spare->first) {
        struct packet *packet = spare->first;
        spare->first = packet->next;
        free(packet);
    }
}

void packets_free(struct plat_thread *thread)
{
    free_spare(&thread->serves.spare_small);
    free_spare(&thread->serves.spare);
}
