/* SPDX-License-Identifier: MIT
 *
 * watch_queue.h - calls that wait for the same file, in the order they came (watch_queue.c). Each
 * function needs the readiness's lock, unless it says otherwise.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_WATCH_QUEUE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_WATCH_QUEUE_H

#include <sys/epoll.h>
#include <sys/stat.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/switch/lane_parts.h"

static inline bool queue_writes(const struct call *call)
{
    return call->entry->ops->readiness == EPOLLOUT;
}

/* Whether the call only asks for readiness, as poll does: it takes no data from others. */
static inline bool watch_polls(const struct call *call)
{
    return call->entry->ops->watches != NULL;
}

/* The worker notes which descriptor and events its call waits for. `waits`: its attempt had to
 * wait, and readiness may end the wait. */
static inline void watch_begin(struct call *call, bool waits)
{
    const struct call_ops *ops = call->entry->ops;
    call->watch.given_fd = (int)call->args[0];
    call->watch.events = (uint32_t)ops->readiness & (EPOLLIN | EPOLLOUT);
    call->watch.held = -1;
    call->watch.nests = false;
    if (waits && ops->watches)
        ops->watches(call);
}

/* The call keeps its file by this number, a duplicate. A read or write uses the duplicate, too. */
static inline void watch_hold(struct call *call, long number)
{
    call->watch.held = (int)number;
    if (!watch_polls(call))
        call->args[0] = number;
}

static inline void watch_let_go(struct call *call)
{
    watch_hold(call, call->watch.given_fd);
    call->watch.held = -1;
}

/* True: another call waits for the file already, and this one stands behind it. False: this one is
 * in front, and the caller is to arm it. */
bool queue_join(struct lane *lane, struct call *call, const struct stat *file);

/* The call waits no more. *in_front: it was in front. Then the result is the call that is in front
 * now, and has taken over the armed descriptor; NULL: there is none. */
struct call *queue_leave(struct lane *lane, struct call *call, bool *in_front);

/* Without the lock: whether another call may wait already by this number, in the same direction. */
static inline bool queue_likely(const struct lane *lane, const struct call *call)
{
    return __atomic_load_n(
        &lane->readiness.numbers[queue_writes(call)][(unsigned)call->args[0] % WATCHED_NUMBERS],
        __ATOMIC_RELAXED);
}

#endif
