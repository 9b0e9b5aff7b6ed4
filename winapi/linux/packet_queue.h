/* SPDX-License-Identifier: MIT
 *
 * packet_queue.h - packets of a file's operations on their way to callbacks of the thread pool.
 *
 * Any thread pushes, even ums:async, so no thread uses the heap with the lock held. Each callback
 * takes one packet, and there are as many packets as callbacks that the pool has to make.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PACKET_QUEUE_H
#define UMSSHIM_WINAPI_LINUX_PACKET_QUEUE_H

#include "platform/linux/dispatch/port.h"

struct packet_queue {
    PLAT_LOCK(PACKETS) lock;
    struct packet *first, *last;
};

static inline void packet_push(struct packet_queue *queue, struct packet *packet)
{
    packet->next = NULL;
    plat_lock(&queue->lock);
    if (queue->first)
        queue->last->next = packet;
    else
        queue->first = packet;
    queue->last = packet;
    plat_unlock(&queue->lock);
}

/* NULL: there is no packet. */
static inline struct packet *packet_pull(struct packet_queue *queue)
{
    plat_lock(&queue->lock);
    struct packet *packet = queue->first;
    if (packet)
        queue->first = packet->next;
    plat_unlock(&queue->lock);
    return packet;
}

#endif
