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

/* Makes a port that lets `most` threads run at once. NULL: no memory. */
struct object *port_create(uint32_t most);
/* Gives a packet to the port. 0, or an error, and the packet stays the caller's: 6: the handle is
 * to no port; 8: no memory. */
int port_post(void *handle, struct packet *packet);
/* The same for a port that the caller keeps alive, on any thread. No thread takes the packet if the
 * port has no handle any more. */
void port_give(struct object *port, struct packet *packet);
/* Takes packets, as a list: at least one and at most `most`, and returns 0. Else returns one of the
 * above or WAITED_NO_MEMORY. The thread waits as it does for any object. */
uint32_t port_take(void *handle, uint32_t most, uint64_t deadline, bool alertable,
                   struct packet **packets);
/* How many calls stand: they wait until dispatch_hooks.port_empty makes them. A call that is being
 * made is not counted. A call that is found not to stand may be, for a moment. */
extern _Atomic uint32_t port_calls_standing __attribute__((visibility("hidden")));

/* The calling thread, which ends or has no lock, stops serving its port. */
void port_quit(struct plat_thread *self);

/* ---- For the dispatcher's own files ---- */

/* A place may have become free: gives packets that wait for a place to waiters. `port` was a port,
 * and its memory may be another object by now. */
void port_settle(struct object *port);

#endif
