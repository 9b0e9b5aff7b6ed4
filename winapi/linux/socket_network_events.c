/* SPDX-License-Identifier: MIT
 *
 * socket_network_events.c - see socket_network_events.h.
 *
 * If the program has selected FD_READ, FD_CLOSE is recorded only when it has read all bytes that
 * came before. POLLRDHUP shows the peer's end, and FIONREAD the bytes that are left. Errors stay
 * for recv and getsockopt, except a connect's, which SO_ERROR reports only once.
 */
#include <errno.h>
#include <string.h>

#include "platform/container_of.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/socket.h"
#include "winapi/linux/socket_network_events.h"

enum { GONE = POLLRDHUP | POLLHUP | POLLERR };

static struct network_events *events_of(const struct file *file)
{
    return &win__socket_of(file)->network;
}

/* ---- Events of the socket: the caller has the lock ------------------------------------------- */

static bool open_for(const struct network_events *own, unsigned event)
{
    return own->selected & ~own->spent & event;
}

/* The events to poll for; -1: none. */
static int wanted(const struct file *file)
{
    const struct network_events *own = events_of(file);
    bool reads = open_for(own, FD_READ), closes = open_for(own, FD_CLOSE);
    int mask = 0;
    if (file->closed || !(own->selected & ~own->spent))
        return -1;
    if (win__socket_is(file, SOCKET_LISTENING))
        return open_for(own, FD_ACCEPT) ? POLLIN : -1;
    if (win__socket_is(file, SOCKET_CONNECTING))
        return POLLOUT;
    bool stream = win__socket_of(file)->type == SOCK_STREAM;
    if (stream && !win__socket_is(file, SOCKET_CONNECTED))
        return -1;
    mask |= reads ? POLLIN : 0;
    mask |= open_for(own, FD_WRITE) ? POLLOUT : 0;
    mask |= open_for(own, FD_OOB) ? POLLPRI : 0;
    if (stream && closes && (reads || !(own->selected & FD_READ)))
        mask |= POLLRDHUP;
    return mask || (stream && closes) ? mask : -1; /* 0 still reports POLLHUP and POLLERR */
}

static void record(struct network_events *own, int bit, DWORD error, struct wait **chain)
{
    if (!open_for(own, 1u << bit))
        return;
    own->recorded |= 1u << bit;
    own->spent |= 1u << bit;
    own->errors[bit] = (int)error;
    bool all = object_lock_to_signal(own->event);
    object_act(own->event, EVENT_SET, 0, chain);
    object_unlock_signalled(own->event, all);
}

static void record_connect(struct file *file, struct wait **chain)
{
    struct network_events *own = events_of(file);
    struct socket *socket = win__socket_of(file);
    int failure = 0;
    socklen_t length = sizeof failure;
    RAW5(SYS_getsockopt, file->fd, SOL_SOCKET, SO_ERROR, &failure, &length);
    record(own, FD_CONNECT_BIT, failure ? win__socket_error(file, failure) : 0, chain);
    own->spent |= FD_CONNECT;
    if (failure) {
        socket->connect_error = failure;
        own->spent = ~0u; /* until the next connect */
        return;
    }
    socket->connected_at = plat_now();
    atomic_fetch_or(&socket->flags, SOCKET_CONNECTED);
    atomic_fetch_and(&socket->flags, ~(unsigned)SOCKET_CONNECTING);
}

static void record_stream(struct file *file, short found, struct wait **chain)
{
    struct network_events *own = events_of(file);
    int left = 0;
    bool ends = found & GONE, reads = own->selected & FD_READ;
    RAW3(SYS_ioctl, file->fd, FIONREAD, &left);
    if (found & POLLIN && left > 0)
        record(own, FD_READ_BIT, 0, chain);
    if (found & POLLOUT && !(found & POLLERR))
        record(own, FD_WRITE_BIT, 0, chain);
    if (found & POLLPRI)
        record(own, FD_OOB_BIT, 0, chain);
    if (found & POLLERR)
        record(own, FD_CLOSE_BIT, WSAECONNRESET, chain);
    else if (ends && (left <= 0 || !reads))
        record(own, FD_CLOSE_BIT, 0, chain);
}

static void record_found(struct file *file, short found, struct wait **chain)
{
    struct network_events *own = events_of(file);
    if (win__socket_is(file, SOCKET_LISTENING)) {
        if (found & POLLIN)
            record(own, FD_ACCEPT_BIT, 0, chain);
    } else if (win__socket_is(file, SOCKET_CONNECTING)) {
        record_connect(file, chain);
    } else if (win__socket_of(file)->type == SOCK_STREAM) {
        record_stream(file, found, chain);
    } else {
        if (found & (POLLIN | POLLERR))
            record(own, FD_READ_BIT, 0, chain);
        if (found & POLLOUT)
            record(own, FD_WRITE_BIT, 0, chain);
    }
}

/* ---- Polls, here and by ums:async: the caller has the lock ----------------------------------- */

static void polled(struct async_call *call, long result);

static void poll_for(struct file *file, int mask)
{
    struct network_events *own = events_of(file);
    if (own->stage == NETWORK_POLLS && mask & ~own->polled && !own->cancel_sent) {
        own->cancel_sent = true;
        async_cancel(&own->poll);
    }
    if (own->stage != NETWORK_RESTS)
        return; /* when that poll ends, ums:async looks again */
    own->stage = NETWORK_POLLS;
    own->polled = mask;
    own->file = file;
    object_hold(&file->object);
    own->poll = (struct async_call){
        .kind = ASYNC_POLL, .fd = file->fd, .flags = (uint32_t)mask, .done = polled};
    async_submit(&own->poll);
}

static void look(struct file *file, struct wait **chain)
{
    bool connects = true;
    int mask = wanted(file);
    short found = 0;
    while (mask >= 0 && connects) { /* a connection may have more events than its connect */
        struct pollfd one = {.fd = file->fd, .events = (short)mask};
        connects = win__socket_is(file, SOCKET_CONNECTING);
        found = RAW3(SYS_poll, &one, 1, 0) > 0 ? one.revents : 0;
        if (found)
            record_found(file, found, chain);
        connects = connects && found;
        mask = wanted(file);
    }
    /* At the end of a connection new events come only when the program reads. */
    bool over = found & (POLLHUP | POLLERR);
    if (mask >= 0 && !over)
        poll_for(file, mask);
}

/* On ums:async. */
static void polled(struct async_call *call, long result)
{
    struct network_events *own = CONTAINER_OF(call, struct network_events, poll);
    struct file *file = own->file;
    struct wait *chain = NULL;
    (void)result;
    plat_lock(&file->pending_lock);
    own->stage = NETWORK_ENDS;
    bool cancelled = own->cancel_sent;
    plat_unlock(&file->pending_lock);
    if (cancelled)
        async_cancel_seen(call);
    plat_lock(&file->pending_lock);
    own->stage = NETWORK_RESTS;
    own->cancel_sent = false;
    look(file, &chain);
    plat_unlock(&file->pending_lock);
    waits_open(chain);
    object_drop(&file->object); /* the next poll has a reference of its own */
}

/* ---- From other calls ------------------------------------------------------------------------ */

bool network_events_selected(const struct file *file)
{
    return __atomic_load_n(&events_of(file)->selected, __ATOMIC_RELAXED);
}

static void enable(struct file *file, unsigned events, bool connected)
{
    struct wait *chain = NULL;
    proxies_join();
    plat_lock(&file->pending_lock);
    events_of(file)->spent &= ~events;
    if (connected)
        record(events_of(file), FD_CONNECT_BIT, 0, &chain);
    look(file, &chain);
    plat_unlock(&file->pending_lock);
    waits_open(chain);
}

void network_events_enable(struct file *file, unsigned events)
{
    if (network_events_selected(file))
        enable(file, events, false);
}

void network_events_connect(struct file *file, bool again, bool there)
{
    if (network_events_selected(file))
        enable(file, again ? 0 : ~0u, there);
}

void network_events_select(struct file *file, struct object *event, unsigned events)
{
    struct network_events *own = events_of(file);
    struct wait *chain = NULL;
    proxies_join();
    plat_lock(&file->pending_lock);
    struct object *old = own->event;
    own->event = event;
    __atomic_store_n(&own->selected, events, __ATOMIC_RELAXED);
    own->recorded = 0;
    own->spent = win__socket_is(file, SOCKET_CONNECTING) ? own->spent : own->spent & FD_CONNECT;
    look(file, &chain);
    plat_unlock(&file->pending_lock);
    waits_open(chain);
    if (old)
        object_drop(old);
}

void network_events_inherit(struct file *accepted, struct file *listener)
{
    if (!network_events_selected(listener))
        return;
    plat_lock(&listener->pending_lock);
    struct object *event = events_of(listener)->event;
    unsigned selected = events_of(listener)->selected;
    if (event)
        object_hold(event);
    plat_unlock(&listener->pending_lock);
    if (event)
        network_events_select(accepted, event, selected);
}

void network_events_restart(struct file *file)
{
    struct network_events *own = events_of(file);
    plat_lock(&file->pending_lock);
    own->recorded = 0;
    own->spent = 0;
    if (own->stage == NETWORK_POLLS && !own->cancel_sent) {
        own->cancel_sent = true;
        async_cancel(&own->poll);
    }
    plat_unlock(&file->pending_lock);
}

void network_events_close(struct file *file)
{
    network_events_restart(file);
    if (network_events_selected(file))
        network_events_select(file, NULL, 0);
}

void network_events_forget(struct file *file)
{
    events_of(file)->stage = NETWORK_RESTS;
    events_of(file)->cancel_sent = false;
}

/* ---- The record ------------------------------------------------------------------------------ */

void network_events_take(struct file *file, struct object *event, WSANETWORKEVENTS *to)
{
    struct network_events *own = events_of(file);
    struct wait *chain = NULL; /* a reset wakes no thread */
    proxies_join();
    plat_lock(&file->pending_lock);
    to->lNetworkEvents = (long)own->recorded;
    for (int i = 0; i < FD_MAX_EVENTS; i++)
        if (own->recorded & 1u << i)
            to->iErrorCode[i] = own->errors[i];
    own->recorded = 0;
    if (event) {
        bool all = object_lock_to_signal(event);
        object_act(event, EVENT_RESET, 0, &chain);
        object_unlock_signalled(event, all);
    }
    plat_unlock(&file->pending_lock);
}
