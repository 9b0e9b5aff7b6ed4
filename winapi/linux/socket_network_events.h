/* SPDX-License-Identifier: MIT
 *
 * socket_network_events.h - WSAEventSelect: what happens at a socket is recorded, and sets an
 * event.
 *
 * All of it is under the file's pending_lock. An event of the network is recorded if the program
 * has selected it and it is not `spent`; to record it spends it, and a call that enables it again
 * takes it back. So the event object is set once for all that has come until the program does
 * something about it. The record and the state of the event object change together, under both
 * locks.
 *
 * The call that selects, each call that enables again, and ums:async, which polls for the rest,
 * look at the socket itself and record what they find. There is one poll for a socket at most:
 *
 *     NETWORK_RESTS   there is none: nothing is selected that is not spent, or nothing can come
 *     NETWORK_POLLS   ums:async has it, and a reference to the file. A call that wants to know of
 *                     more than it polls for has it cancelled, once
 *     NETWORK_ENDS    its `done` runs, and will look
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_NETWORK_EVENTS_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_NETWORK_EVENTS_H

#include "platform/linux/async/async.h"
#include "winapi/linux/file.h"

enum network_stage { NETWORK_RESTS, NETWORK_POLLS, NETWORK_ENDS };
enum { NETWORK_EVENTS = 10 };

struct network_events {
    struct object *event; /* with a reference; NULL: nothing is selected */
    unsigned selected, recorded, spent;
    int errors[NETWORK_EVENTS];
    uint8_t stage;    /* enum network_stage */
    bool cancel_sent; /* while it polls */
    int polled;       /* what for */
    struct file *file;
    struct async_call poll;
};

/* Lets these events be recorded again, and records at once those of them that have happened. Any
 * thread. Costs nothing unless the program has selected events of this socket. */
void network_events_enable(struct file *file, unsigned events);
/* A connect has begun, or had before (`again`); `there`: it is over, with success. Any thread. */
void network_events_connect(struct file *file, bool again, bool there);
/* Whether any are selected: the socket must not block. */
bool network_events_selected(const struct file *file);
/* Has these recorded, and those that have happened at once. Takes over a reference to the event,
 * or has NULL and no events. pre: async_start has returned 0. */
void network_events_select(struct file *file, struct object *event, unsigned events);
/* Gives what has been recorded, and forgets it; resets the event, if there is one. */
struct _WSANETWORKEVENTS;
void network_events_take(struct file *file, struct object *event, struct _WSANETWORKEVENTS *to);
/* A connection gets what its listener has. */
void network_events_inherit(struct file *accepted, struct file *listener);
/* The descriptor becomes another socket's: nobody may poll the old one. */
void network_events_restart(struct file *file);
/* The last handle has gone. */
void network_events_close(struct file *file);
/* A child after fork: ums:async has nothing of it. */
void network_events_forget(struct file *file);

#endif
