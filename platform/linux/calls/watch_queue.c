/* SPDX-License-Identifier: MIT
 *
 * watch_queue.c - calls that wait for the same file: the first is armed, the others stand behind
 * it.
 *
 * For each byte that comes the kernel wakes every poller of a file, but only one of the threads
 * that wait in read. So of the calls that wait for one pipe or socket, in one direction, only the
 * one in front is in the epoll set. When it is over, the next one takes its place, and the armed
 * descriptor along with it: that descriptor keeps the pipe or socket open for all of them. So the
 * set changes when the first call comes and when the last goes, and a byte costs the same however
 * many wait.
 *
 * A pipe or socket is known by device, inode and the descriptor's number: the kernel numbers these
 * inodes with 32 bits, so one may come again. Where a file has several descriptors, each number has
 * a queue of its own. Event counters, timers and their like share one inode, so each of their calls
 * is armed for itself.
 *
 * A poll takes no data away from others, so it stands in no queue: each poll is in the set.
 *
 * A call that would be deferred (poller.c) while others wait by the same number goes to the queue
 * at once: the deferred calls are asked first, and those in the queue would starve.
 */
#include "platform/linux/calls/watch_queue.h"
#include "platform/linux/switch/lane.h"

static struct call **chain_of(struct lane *lane, const struct call *call)
{
    uint64_t mixed = (call->file[0] ^ call->file[1] * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;
    return &lane->readiness.fronts[(mixed >> 56) % WATCHED_FILES];
}

static bool same_queue(const struct call *a, const struct call *b)
{
    return a->watch.given_fd == b->watch.given_fd && a->file[0] == b->file[0] &&
           a->file[1] == b->file[1] && queue_writes(a) == queue_writes(b);
}

static uint16_t *number_of(struct lane *lane, const struct call *call)
{
    return &lane->readiness
                .numbers[queue_writes(call)][(unsigned)call->watch.given_fd % WATCHED_NUMBERS];
}

static void count_number(struct lane *lane, const struct call *call, int by)
{
    uint16_t *count = number_of(lane, call);
    __atomic_store_n(count, (uint16_t)(*count + by), __ATOMIC_RELAXED);
}

bool queue_join(struct lane *lane, struct call *call, const struct stat *file)
{
    call->watch.before = call->watch.behind = NULL;
    call->watch.last_behind = call;
    call->watch.known = S_ISFIFO(file->st_mode) || S_ISSOCK(file->st_mode);
    call->watch.queues = call->watch.known && !watch_polls(call);
    call->file[0] = file->st_dev;
    call->file[1] = file->st_ino;
    if (!call->watch.queues)
        return false;
    count_number(lane, call, 1);
    struct call **chain = chain_of(lane, call), *front = *chain;
    while (front && !same_queue(front, call))
        front = front->watch.next_front;
    if (!front) {
        call->watch.next_front = *chain;
        *chain = call;
        return false;
    }
    call->watch.before = front->watch.last_behind;
    front->watch.last_behind->watch.behind = call;
    front->watch.last_behind = call;
    return true;
}

/* The call in front of this call's queue. Only `last_behind` of the call in front is up to date. */
static struct call *front_of(struct lane *lane, const struct call *call)
{
    struct call *front = *chain_of(lane, call);
    while (!same_queue(front, call))
        front = front->watch.next_front;
    return front;
}

struct call *queue_leave(struct lane *lane, struct call *call, bool *in_front)
{
    *in_front = !call->watch.queues || !call->watch.before;
    if (!call->watch.queues)
        return NULL;
    count_number(lane, call, -1);
    struct call *next = call->watch.behind;
    if (!*in_front) {
        call->watch.before->watch.behind = next;
        if (next)
            next->watch.before = call->watch.before;
        else
            front_of(lane, call)->watch.last_behind = call->watch.before;
        return NULL;
    }
    struct call **link = chain_of(lane, call);
    while (*link != call)
        link = &(*link)->watch.next_front;
    *link = call->watch.next_front;
    if (!next)
        return NULL;
    next->watch.before = NULL;
    next->watch.last_behind = call->watch.last_behind;
    next->watch.next_front = *link;
    *link = next;
    watch_hold(next, call->watch.held);
    return next;
}
