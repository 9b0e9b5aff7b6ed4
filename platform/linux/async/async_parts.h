/* SPDX-License-Identifier: MIT
 *
 * async_parts.h - what the two ways of ums:async have in common: by a ring (async_ring.c), and by
 * waiting for readiness (async_poll.c). All runs on that thread, unless a line says otherwise.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_PARTS_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_PARTS_H

#include "platform/chain.h"
#include "platform/linux/async/async.h"

struct async_way {
    bool (*open)(int wake_fd); /* false: this way does not work here */
    /* These two begin and cancel a call. It is not over before `serve` says so. */
    void (*begin)(struct async_call *call);
    void (*cancel)(struct async_call *call);
    /* Gives the calls that were begun to the system, waits for one to be over, and calls async_over
     * for each that is. Does not wait if `look` says that there is other work. */
    void (*serve)(bool look);
    void (*forget)(void); /* in a child after fork */
};

extern const struct async_way async_ring, async_poll;

/* Calls in flight. */
extern struct async_chain {
    struct async_call *first, *last;
} async_flying;

void async_flies(struct async_call *call);
/* The call is over: takes it out of those in flight, and calls `done`. */
void async_over(struct async_call *call, long result);

/* The descriptor that ums:async reads before it looks for work; -1: none. */
extern int async_wake_file;
/* ums:async calls it. True: it is about to sleep, and looks for work once more after this. False:
 * it is awake. */
void async_sleeps(bool now);
/* Wakes ums:async if it sleeps. Any thread; the work is in a list before. */
void async_wake(void);

/* Makes the call, or its form that does not wait; -EAGAIN if it has no such form. Any thread. */
long async_make(const struct async_call *call, bool wait);

/* Calls for disks where there is no ring: async_disk.c. */
void async_disk_begin(struct async_call *call);
bool async_disk_any(void);   /* whether some of those are over */
void async_disk_serve(void); /* calls async_over for each of those */
void async_disk_forget(void);

#endif
