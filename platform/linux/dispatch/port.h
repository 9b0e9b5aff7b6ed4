/* SPDX-License-Identifier: MIT
 *
 * port.h - completion ports: queues of packets that threads wait for.
 *
 * Packets leave in the order they came; of the waiters, the last one to come gets the next
 * packet. No more threads run than the port's limit: port_limit.h.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PORT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PORT_H

#include "platform/linux/dispatch/object.h"

struct packet { /* from malloc, or packet_memory; the port owns it from post to take */
    struct packet *next;
    uintptr_t key;
    void *overlapped;
    uint32_t bytes;
    uint32_t error; /* Win32's, of the operation that is complete */
    uint32_t room;  /* packet_memory.h; 0: from malloc */
};

enum {
    /* Beside WAITED_TIMEOUT, WAITED_APC and WAITED_BAD_HANDLE. */
    PORT_CLOSED = 0x2000,
};

/* `most` threads run at once. NULL: no memory. */
struct object *port_create(uint32_t most);
/* Gives a packet away. 0, or 6: the handle is none to a port, the packet stays the caller's. */
int port_post(void *handle, struct packet *packet);
/* The same for a port that the caller keeps alive, on any thread. Nobody takes the packet if the
 * port has no handle any more. */
void port_give(struct object *port, struct packet *packet);
/* At most `most` packets in a list, at least one if it returns 0: else one of the above or
 * WAITED_NO_MEMORY. Waits as any wait of that kind of thread does. */
uint32_t port_take(void *handle, uint32_t most, uint64_t deadline, bool alertable,
                   struct packet **packets);
/* Calls that stand until dispatch_hooks.port_empty fetches them; none that is being made. For a
 * moment also one that finds it must not stand. */
extern _Atomic uint32_t port_calls_standing __attribute__((visibility("hidden")));

/* The calling thread, which ends or has no lock, serves no port any more. */
void port_quit(struct plat_thread *self);

/* ---- For the dispatcher's own files ---- */

/* A place may have become free: packets that waited for one are handed out. `port` was a port, and
 * its memory may be another object by now. */
void port_settle(struct object *port);

#endif
