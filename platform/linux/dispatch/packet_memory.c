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

struct packet *packet_memory(struct plat_thread *self, size_t bytes)
{
    struct service *serves = &self->serves;
    struct packet *packet = serves->spare;
    if (UMS_LIKELY(packet && bytes <= PACKET_BLOCK)) {
        serves->spare = packet->next;
        serves->spare_count--;
        return packet;
    }
    packet = malloc(bytes <= PACKET_BLOCK ? PACKET_BLOCK : bytes);
    if (packet)
        packet->room = bytes <= PACKET_BLOCK ? PACKET_BLOCK : 0;
    return packet;
}

void packet_free(struct plat_thread *self, struct packet *packet)
{
    struct service *serves = &self->serves;
    if (packet->room != PACKET_BLOCK || serves->spare_count == MOST_SPARE) {
        free(packet);
        return;
    }
    packet->next = serves->spare;
    serves->spare = packet;
    serves->spare_count++;
}

void packets_free(struct plat_thread *thread)
{
    while (thread->serves.spare) {
        struct packet *packet = thread->serves.spare;
        thread->serves.spare = packet->next;
        free(packet);
    }
}
