/* SPDX-License-Identifier: MIT
 *
 * async.h - system calls that are made beside the program: the caller goes on at once, and a
 * function is called with the result.
 *
 * One thread of the library's, ums:async, sees them through: with a ring of its own, or where there
 * may be none by waiting for readiness (async_poll.c). It is made with the first call.
 *
 * The owner of a call at each moment:
 *
 *     the caller           fills it in; tries it, if it likes (async_attempt)
 *     async_submit         pushes it on a list, with release; from then on it is ums:async's
 *     ums:async            has made it, and calls done(call, result): it is the caller's again.
 *                          `done` may free it, or submit it once more
 *
 * A call is done exactly once. To cancel it only asks that this be soon: then the result is mostly
 * -ECANCELED, but whatever the system says counts. So nothing is decided twice.
 *
 * `done` runs on ums:async: it uses no heap, takes no lock that is held for long, and makes RAW
 * system calls only.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

struct object;

enum async_kind {
    ASYNC_READ,    /* address, length, offset (-1: the file has no positions) */
    ASYNC_WRITE,   /* the same; flags: RWF_APPEND or 0 */
    ASYNC_READV,   /* address: struct iovec, length of them, offset */
    ASYNC_WRITEV,  /* the same */
    ASYNC_RECVMSG, /* address: struct msghdr, flags */
    ASYNC_SENDMSG, /* the same */
    ASYNC_ACCEPT,  /* the result is a descriptor, closed at exec */
    ASYNC_CONNECT, /* address, length */
    ASYNC_POLL,    /* flags: events; the result is those that have come */
    ASYNC_NOTHING, /* no call at all: 0. For an operation that may have to make none */
};

struct async_call {
    uint8_t kind; /* enum async_kind */
    bool disk;    /* of a regular file or block device: always ready, and may take a while */
    bool stream;  /* of a message: nobody asks more of it than how many bytes */
    int fd;
    uint32_t length, flags;
    void *address;
    uint64_t offset;
    void (*done)(struct async_call *call, long result); /* the result, or -errno */
    /* Of one that stands in the set of ready_set.h. A reference that the caller drops once it has
     * nothing else in hand, for that may wait; or NULL. */
    struct object *(*ready)(struct async_call *call);

    /* ---- ums:async's ---- */
    struct async_call *next, *previous, *next_cancelled, *next_on_disk;
    uint64_t tag;
    bool readying;  /* it waits for readiness first, and is made after */
    bool cancelled; /* it was asked to be */
    bool away;      /* with a thread for files on disks */
    long result;    /* of a call that was made and is not over */
};

/* Brings up ums:async, if it does not run yet. Waits. 0 or 8. */
int async_start(void);

/* Makes the call as far as that goes without waiting, on the calling thread. True: *result is the
 * call's. False: it would have to wait, or has no such form. */
bool async_attempt(const struct async_call *call, long *result);

/* Gives the call away; neither waits nor uses the heap. pre: async_start has returned 0. If the
 * call may be cancelled this, async_cancel and the first look at it in `done` are under one lock of
 * the caller's. */
void async_submit(struct async_call *call);

/* Asks that the call be over soon, once for each call, between async_submit and `done`. If this was
 * called then `done` calls async_cancel_seen, once nobody can call this any more and before the
 * call's memory is used for anything else. */
void async_cancel(struct async_call *call);
void async_cancel_seen(struct async_call *call);

void async_forget(void); /* in a child after fork: all calls are the parent's */

#endif
