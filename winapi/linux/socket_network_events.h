/* SPDX-License-Identifier: MIT
 *
 * socket_network_events.h - WSAEventSelect, which records a socket's network events and sets an
 * event object.
 *
 * All fields are under the file's pending_lock. A network event is recorded if the program has
 * selected it and it is not `spent`. To record it spends it, until the program makes the call that
 * enables it again. So the event object is set once, however much comes before that call. The
 * record and the event object change together, under both locks.
 *
 * WSAEventSelect and each call that enables an event look at the socket and record what they find.
 * For later events ums:async polls, and looks again. A socket has at most one poll:
 *
 *     NETWORK_RESTS   no poll: each selected event is spent, or no event can come
 *     NETWORK_POLLS   ums:async polls, and has a reference to the file. A call that needs more
 *                     events than it polls for has the poll cancelled, once
 *     NETWORK_ENDS    the poll has ended, and ums:async is about to look
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_NETWORK_EVENTS_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_NETWORK_EVENTS_H

#include "platform/linux/async/async.h"
#include "winapi/linux/file.h"

enum network_stage { NETWORK_RESTS, NETWORK_POLLS, NETWORK_ENDS };
enum { NETWORK_EVENTS = 10 };

struct network_events {
    struct object *event; /* with a reference; NULL: no event is selected */
    unsigned selected, recorded, spent;
    int errors[NETWORK_EVENTS];
    uint8_t stage;    /* enum network_stage */
    bool cancel_sent; /* the poll's cancellation was asked for */
    int polled;       /* the events polled for */
    struct file *file;
    struct async_call poll;
};

/* Enables these events again, and records at once those that have happened. Any thread. Costs
 * almost nothing unless the program has selected events of this socket. */
void network_events_enable(struct file *file, unsigned events);
/* A connect has begun; `again`: an earlier one goes on. `there`: it has succeeded. Any thread. */
void network_events_connect(struct file *file, bool again, bool there);
/* Whether any event is selected: then the socket must not block. */
bool network_events_selected(const struct file *file);
/* Selects these events, and records at once those that have happened. Takes over a reference to the
 * event, or gets NULL and no events. pre: async_start has returned 0. */
void network_events_select(struct file *file, struct object *event, unsigned events);
/* Gives the program the record, and empties it; resets the event, if there is one. */
struct _WSANETWORKEVENTS;
void network_events_take(struct file *file, struct object *event, struct _WSANETWORKEVENTS *to);
/* Selects the listener's events for a connection. */
void network_events_inherit(struct file *accepted, struct file *listener);
/* Before the descriptor becomes another socket's: ends the poll of the old one. */
void network_events_restart(struct file *file);
/* At the end of the last handle. */
void network_events_close(struct file *file);
/* In a child after fork: ums:async of the child has no poll. */
void network_events_forget(struct file *file);

#endif
