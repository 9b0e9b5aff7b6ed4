/* SPDX-License-Identifier: MIT
 *
 * port.c - completion ports: queues of packets that threads wait for.
 *
 * A thread that waits for packets is on the port's list of waits, like one that waits for an
 * object's signal. But no signal ends its wait. The thread that posts a packet gives it to the
 * waiter that came last, unless as many threads run as may (port_limit.h). Then the packet stays in
 * the queue until a place is free, and goes to the waiter that came last by then. The port's signal
 * says whether packets are queued, for threads that wait for the port as an object.
 */
#include <stdlib.h>

#include "platform/container_of.h"
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

struct port {
    union {
        struct object object;
        struct limited_port limited;
    };
    struct packet *first, *last;
    bool closed; /* no thread can post any more */
};

_Atomic uint32_t port_calls_standing;

struct packet_wait {
    struct wait wait; /* the first member */
    struct wait_block block;
    struct packet *packet;
};

/* Returns the port, with its lock held; with `all`, locked to be signalled. NULL: not a handle to a
 * port. */
static struct port *lock_port(void *handle, struct plat_thread *self, bool *all)
{
    struct object *object =
        all ? handle_lock_to_signal(handle, self, all) : handle_lock(handle, self);
    if (!object || object->type == OBJECT_PORT)
        return (struct port *)object;
    object_unlock_signalled(object, all && *all);
    return NULL;
}

/* With the port's lock. The waiter for packets that came last. */
static struct wait *last_taker(struct port *port)
{
    struct wait_block *block = port->object.last;
    while (block && !block->wait->packets)
        block = block->previous;
    return block ? block->wait : NULL;
}

/* With the port's lock. Takes at most `most` packets out of the queue. */
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

static void free_all(struct packet *packets)
{
    while (packets) {
        struct packet *packet = packets;
        packets = packet->next;
        free(packet);
    }
}

/* The last handle is gone. Threads that serve the port keep its memory, but not its packets. */
static void closed(struct object *object)
{
    struct port *port = (struct port *)object;
    struct wait *chain = NULL, *wait;
    plat_lock(&object->lock);
    port->closed = true;
    struct packet *packets = take_queued(port, UINT32_MAX);
    while ((wait = last_taker(port)))
        wait_decide(wait, PORT_CLOSED, &chain);
    object_unlock(object);
    waits_open(chain);
    free_all(packets);
}

static void destroy(struct object *object)
{
    free_all(((struct port *)object)->first);
}

struct object *port_create(uint32_t most)
{
    struct port *port = object_create(OBJECT_PORT, sizeof *port);
    if (!port)
        return NULL;
    port->limited.limit.most = most;
    port->object.closed = closed;
    port->object.destroy = destroy;
    return &port->object;
}

/* ---- Handing out ----------------------------------------------------------------------------- */

static void look(struct plat_timer *timer);

/* With the port's lock. The taker runs again, with the packet and a place. */
static void give(struct wait *taker, struct packet *packet, struct wait **chain)
{
    ((struct packet_wait *)taker)->packet = packet;
    place_take(taker->thread);
    wait_decide(taker, 0, chain);
}

/* With the port's lock. Gives queued packets to waiters, while there are places. */
static void hand_out(struct port *port, struct wait **chain)
{
    struct wait *taker;
    while (port->first && (taker = last_taker(port))) {
        if (!limit_has_room(&port->limited.limit)) {
            limit_look_later(&port->limited, look);
            break;
        }
        give(taker, take_queued(port, 1), chain);
    }
}

void port_settle(struct object *object)
{
    struct wait *chain = NULL;
    plat_lock(&object->lock);
    if (object->type == OBJECT_PORT && object->refs)
        hand_out((struct port *)object, &chain);
    plat_unlock_lasting(&object->lock);
    waits_open(chain);
}

/* On the timer thread, with the reference that the timer holds. */
static void look(struct plat_timer *timer)
{
    enum { MOST = 64 };
    struct port *port = CONTAINER_OF(timer, struct port, limited.limit.look);
    struct wait *chain = NULL;
    pid_t tids[MOST];
    unsigned count = 0;
    plat_lock(&port->object.lock);
    if (port->first)
        count = limit_plain(&port->limited.limit, tids, MOST);
    plat_unlock_lasting(&port->object.lock);
    count = limit_asleep(tids, count);
    plat_lock(&port->object.lock);
    port->limited.limit.looking = false;
    if (port->first)
        limit_looked(&port->limited.limit, tids, count);
    hand_out(port, &chain);
    object_unref(&port->object);
    object_unlock(&port->object);
    waits_open(chain);
}

/* The port is locked to be signalled, with `all`. Unlocks it. */
static void post(struct port *port, struct packet *packet, bool all)
{
    struct wait *chain = NULL;
    packet->next = NULL;
    struct wait *taker = port->first ? NULL : last_taker(port);
    if (taker && limit_has_room(&port->limited.limit)) {
        give(taker, packet, &chain);
    } else {
        if (port->first)
            port->last->next = packet;
        else
            port->first = packet;
        port->last = packet;
        port->object.signal = 1;
        if (port->object.first || port->object.seat) {
            object_release_waiters(&port->object, &chain);
            hand_out(port, &chain);
        }
    }
    object_unlock_signalled(&port->object, all);
    if (chain)
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

/* ---- Taking ---------------------------------------------------------------------------------- */

void port_quit(struct plat_thread *self)
{
    struct object *port = self->serves.port;
    if (!port)
        return;
    place_leave(self);
    plat_lock(&port->lock);
    limit_quit((struct limited_port *)port, self);
    plat_unlock_lasting(&port->lock);
    object_drop(port);
}

/* Has the thread serve this port. With the port's lock, which it releases for a moment. 0, or the
 * result of the wait. */
static __attribute__((noinline)) uint32_t serve(struct port *port, struct plat_thread *self)
{
    port->object.refs++;
    plat_unlock_lasting(&port->object.lock);
    port_quit(self);
    int error = dispatch_hooks.start(); /* look() needs the timers */
    plat_lock(&port->object.lock);
    if (error) /* without timers a limit could hold a packet back for ever */
        port->limited.limit.most = UINT32_MAX;
    limit_enter(&port->limited, self);
    return port->closed ? PORT_CLOSED : 0;
}

/* With the port's lock. Takes packets, and a place. NULL: there are none, or there is no place. */
static struct packet *take_placed(struct port *port, uint32_t most, struct plat_thread *self)
{
    place_give_up(self);
    if (!port->first || !limit_has_room(&port->limited.limit))
        return NULL;
    place_take(self);
    return take_queued(port, most);
}

/* No packet is queued. Makes calls that stand, and takes the packets that come of them. With the
 * port's lock, which it releases for moments; the thread has a place meanwhile. 0, or the result of
 * the wait. */
static uint32_t look_for_more(struct port *port, uint32_t most, bool sleeps,
                              struct plat_thread *self, struct packet **packets)
{
    enum { MOST_LOOKS = 4 }; /* each look may bring only packets for other threads */
    bool came = true;
    for (unsigned look = 0; came && look < MOST_LOOKS && !*packets && !port->first; look++) {
        place_take(self);
        port->object.refs++;
        plat_unlock_lasting(&port->object.lock);
        came = dispatch_hooks.port_empty(sleeps);
        plat_lock(&port->object.lock);
        object_unref(&port->object);
        if (port->closed)
            return PORT_CLOSED;
        *packets = take_placed(port, most, self);
    }
    return 0;
}

/* A thread that never finds the port empty makes the calls whose files are ready, too, after each
 * eighth take. Those calls bring other packets of the port. */
static bool is_to_look(struct plat_thread *self)
{
    enum { TAKEN_BETWEEN_LOOKS = 8 };
    if (!atomic_load_explicit(&port_calls_standing, memory_order_relaxed) ||
        ++self->serves.taken < TAKEN_BETWEEN_LOOKS)
        return false;
    self->serves.taken = 0;
    return true;
}

/* Takes packets, and waits for them until the deadline. The caller has the port's lock, which this
 * releases. */
static uint32_t take(struct port *port, uint32_t most, uint64_t deadline, struct packet_wait *own,
                     struct packet **packets)
{
    struct plat_thread *self = own->wait.thread;
    uint32_t result = 0;
    if (UMS_UNLIKELY(self->serves.port != &port->object) && (result = serve(port, self))) {
        object_unlock(&port->object);
        return result;
    }
    *packets = take_placed(port, most, self);
    bool looks = *packets && is_to_look(self);
    if (!*packets && atomic_load_explicit(&port_calls_standing, memory_order_relaxed))
        result = look_for_more(port, most, deadline, self, packets);
    if (*packets || result) {
        object_unlock(&port->object);
        if (looks)
            dispatch_hooks.port_empty(false);
        return result;
    }
    wait_enqueue_only(&own->wait, &port->object);
    if (own->wait.alertable && wait_alerted(&own->wait))
        result = WAITED_APC;
    else if (!deadline)
        result = WAITED_TIMEOUT;
    if (UMS_UNLIKELY(port->first != NULL))
        limit_look_later(&port->limited, look);
    if (result) {
        place_take(self);
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
    while (UMS_UNLIKELY(result == WAITED_SIGNAL)) { /* the wait has left a reference */
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
