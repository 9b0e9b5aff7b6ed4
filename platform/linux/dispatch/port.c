/* SPDX-License-Identifier: MIT
 *
 * port.c - completion ports: queues of packets that threads wait for.
 *
 * A thread that waits for packets is on the port's list of waits, like one that waits for an
 * object's signal, but no signal lets it go: the poster gives the packet to the one that came last.
 * The signal says whether packets lie there, for threads that wait for the port as an object.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

struct port {
    struct object object;
    struct packet *first, *last;
    bool closed; /* nobody can post any more */
};

struct packet_wait {
    struct wait wait; /* first */
    struct wait_block block;
    struct packet *packet;
};

/* With its lock, locked to be signalled with `all`; NULL: not a handle to a port. */
static struct port *lock_port(void *handle, struct plat_thread *self, bool *all)
{
    struct object *object =
        all ? handle_lock_to_signal(handle, self, all) : handle_lock(handle, self);
    if (!object || object->type == OBJECT_PORT)
        return (struct port *)object;
    object_unlock_signalled(object, all && *all);
    return NULL;
}

/* With the lock: the one that came last. Packets and takers are never both there. */
static struct wait *last_taker(struct port *port)
{
    struct wait_block *block = port->object.last;
    while (block && !block->wait->packets)
        block = block->previous;
    return block ? block->wait : NULL;
}

/* The last handle is gone. */
static void closed(struct object *object)
{
    struct port *port = (struct port *)object;
    struct wait *chain = NULL, *wait;
    plat_lock(&object->lock);
    port->closed = true;
    while ((wait = last_taker(port)))
        wait_decide(wait, PORT_CLOSED, &chain);
    object_unlock(object);
    waits_open(chain);
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

/* With the port's lock, to be signalled with `all`, which it releases. */
static void post(struct port *port, struct packet *packet, bool all)
{
    struct wait *chain = NULL;
    packet->next = NULL;
    struct wait *taker = last_taker(port);
    if (taker) {
        ((struct packet_wait *)taker)->packet = packet;
        wait_decide(taker, 0, &chain);
    } else {
        if (port->first)
            port->last->next = packet;
        else
            port->first = packet;
        port->last = packet;
        port->object.signal = 1;
        object_release_waiters(&port->object, &chain);
    }
    object_unlock_signalled(&port->object, all);
    waits_open(chain);
}

int port_post(void *handle, struct packet *packet)
{
    struct plat_thread *self = thread_current();
    if (!self)
        return 8;
    bool all;
    struct port *port = lock_port(handle, self, &all);
    if (!port)
        return 6;
    post(port, packet, all);
    return 0;
}

void port_give(struct object *port, struct packet *packet)
{
    bool all = object_lock_to_signal(port);
    post((struct port *)port, packet, all);
}

/* With the lock. */
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

/* With the port's lock, which it releases. */
static uint32_t take(struct port *port, uint32_t most, uint64_t deadline, struct packet_wait *own,
                     struct packet **packets)
{
    uint32_t result = 0;
    *packets = take_queued(port, most);
    if (*packets) {
        object_unlock(&port->object);
        return 0;
    }
    wait_enqueue_only(&own->wait, &port->object);
    if (own->wait.alertable && wait_alerted(&own->wait))
        result = WAITED_APC;
    else if (!deadline)
        result = WAITED_TIMEOUT;
    if (result) {
        wait_take_back(&own->wait, result);
        object_unlock(&port->object);
    } else {
        result = wait_unlocked(&own->wait, deadline,
                               &(struct wait_then){.lock = &port->object.lock.lock});
        *packets = own->packet;
    }
    return result;
}

static void prepare(struct packet_wait *own, struct plat_thread *self, bool alertable)
{
    wait_init(&own->wait, &own->block, self);
    own->wait.alertable = alertable;
    own->wait.packets = true;
    own->packet = NULL;
}

uint32_t port_take(void *handle, uint32_t most, uint64_t deadline, bool alertable,
                   struct packet **packets)
{
    struct packet_wait own;
    struct plat_thread *self = thread_current();
    if (!self)
        return WAITED_NO_MEMORY;
    prepare(&own, self, alertable);
    struct port *port = lock_port(handle, self, NULL);
    if (!port)
        return WAITED_BAD_HANDLE;
    uint32_t result = take(port, most, deadline, &own, packets);
    while (UMS_UNLIKELY(result == WAITED_SIGNAL)) { /* with a reference of ours */
        prepare(&own, self, alertable);
        plat_lock(&port->object.lock);
        if (port->closed) {
            plat_unlock_lasting(&port->object.lock);
            result = PORT_CLOSED;
        } else {
            result = take(port, most, deadline, &own, packets);
        }
        object_drop(&port->object);
    }
    if (result == WAITED_APC)
        apcs_run();
    return result;
}
