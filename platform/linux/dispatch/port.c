/* SPDX-License-Identifier: MIT
 *
 * port.c - completion ports: queues of packets that threads wait for.
 *
 * A thread that waits for packets is on the port's list of waits, like one that waits for an
 * object's signal, but is never let go by one: who posts gives the packet to the last of them by
 * hand. The signal says whether packets lie there, for those who wait for the port as an object.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

struct port {
    struct object object;
    struct packet *first, *last;
};

struct packet_wait {
    struct wait wait; /* first */
    struct wait_block block;
    struct packet *packet;
};

/* Under the lock; NULL: not a handle to a port. */
static struct port *find(void *handle, struct plat_thread *self)
{
    struct object *object = handle_find(handle, self);
    return object && object->type == OBJECT_PORT ? (struct port *)object : NULL;
}

/* Under the lock: the one who came last. Packets and takers are never both there. */
static struct wait *last_taker(struct port *port)
{
    struct wait_block *block = port->object.last;
    while (block && !block->wait->packets)
        block = block->previous;
    return block ? block->wait : NULL;
}

/* The last handle is gone: nobody can post any more. */
static void closed(struct object *object)
{
    struct port *port = (struct port *)object;
    struct wait *chain = NULL, *wait;
    plat_lock(&dispatcher_lock);
    while ((wait = last_taker(port)))
        wait_decide(wait, PORT_CLOSED, &chain);
    dispatcher_unlock(chain);
}

static void destroy(struct object *object)
{
    struct port *port = (struct port *)object;
    while (port->first) {
        struct packet *packet = port->first;
        port->first = packet->next;
        free(packet);
    }
}

struct object *port_create(void)
{
    struct port *port = object_create(OBJECT_PORT, sizeof *port);
    if (!port)
        return NULL;
    port->object.closed = closed;
    port->object.destroy = destroy;
    return &port->object;
}

bool is_port(void *handle)
{
    struct object *object = handle_object(handle);
    bool is = object && object->type == OBJECT_PORT;
    if (object)
        object_drop(object);
    return is;
}

int port_post(void *handle, struct packet *packet)
{
    struct wait *chain = NULL;
    struct plat_thread *self = thread_current();
    if (!self)
        return 8;
    packet->next = NULL;
    plat_lock(&dispatcher_lock);
    struct port *port = find(handle, self);
    struct wait *taker = port ? last_taker(port) : NULL;
    if (taker) {
        ((struct packet_wait *)taker)->packet = packet;
        wait_decide(taker, 0, &chain);
    } else if (port) {
        if (port->first)
            port->last->next = packet;
        else
            port->first = packet;
        port->last = packet;
        port->object.signal = 1;
        object_release_waiters(&port->object, &chain);
    }
    dispatcher_unlock(chain);
    return port ? 0 : 6;
}

/* Under the lock. */
static struct packet *take_queued(struct port *port, uint32_t most)
{
    struct packet *packets = port->first, **end = &packets;
    while (*end && most--)
        end = &(*end)->next;
    port->first = *end;
    port->object.signal = port->first != NULL;
    *end = NULL;
    return packets;
}

uint32_t port_take(void *handle, uint32_t most, uint64_t deadline, bool alertable,
                   struct packet **packets)
{
    struct packet_wait own;
    struct plat_thread *self = thread_current();
    if (!self)
        return WAITED_NO_MEMORY;
    wait_init(&own.wait, &own.block, self);
    own.wait.alertable = alertable;
    own.wait.packets = true;
    own.packet = NULL;

    uint32_t result = 0;
    plat_lock(&dispatcher_lock);
    struct port *port = find(handle, self);
    if (port)
        *packets = take_queued(port, most);
    if (!port) {
        result = WAITED_BAD_HANDLE;
    } else if (*packets) {
        result = 0;
    } else if (alertable && self->first_apc) {
        result = WAITED_APC;
    } else if (!deadline) {
        result = WAITED_TIMEOUT;
    } else {
        own.wait.count = 1;
        own.block.object = &port->object;
        wait_enqueue(&own.wait);
        result = wait_unlocked(&own.wait, deadline, &(struct wait_then){0});
        *packets = own.packet;
        goto waited;
    }
    dispatcher_unlock(NULL);
waited:
    if (result == WAITED_APC)
        apcs_run();
    return result;
}
