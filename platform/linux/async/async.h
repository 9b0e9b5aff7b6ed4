/* SPDX-License-Identifier: MIT
 *
 * async.h - system calls that are made beside the program: the caller goes on at once, and a
 * function is called with the result.
 *
 * A thread of the library, ums:async, sees them through. It uses a ring of its own, or, where it
 * may have none, waits for readiness (async_poll.c). The first call makes the thread.
 *
 * The owner of a call at each moment:
 *
 *     the caller           fills it in; may try it first (async_attempt)
 *     async_submit         pushes it on a list, by a release; from then on ums:async owns it
 *     ums:async            has made it, and calls done(call, result): the caller owns it again.
 *                          `done` may free it, or submit it once more
 *
 * A call is done exactly once. To cancel it only asks that this be soon. Then the result is mostly
 * -ECANCELED, but the system's answer counts, whatever it is.
 *
 * `done` runs on ums:async: it uses no heap, takes no lock that is held for long, and makes RAW
 * system calls only.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_H
#define UMSSHIM_PLATFORM_LINUX_ASYNC_ASYNC_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "platform/linux/os/raw.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

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
    ASYNC_NOTHING, /* makes no call; the result is 0. For an operation that may need none */
};

struct async_call {
    uint8_t kind; /* enum async_kind */
    bool disk;    /* the file is a regular one or a block device: always ready, but slow */
    bool stream;  /* a message of a stream socket: its caller wants only the number of bytes */
    int fd;
    uint32_t length, flags;
    void *address;
    uint64_t offset;
    void (*done)(struct async_call *call, long result); /* the result, or -errno */
    /* For a call that stands in the set of ready_set.h: makes it. Returns NULL, or a reference that
     * the caller drops last, since to drop it may wait. */
    struct object *(*ready)(struct async_call *call);

    /* ---- ums:async's ---- */
    struct async_call *next, *previous, *next_cancelled, *next_on_disk;
    uint64_t tag;
    bool readying;  /* ums:async waits for readiness first, and then makes the call */
    bool cancelled; /* async_cancel has been called for it */
    bool away;      /* a thread for files on disks has it */
    long result;    /* of a call that was made but is not done */
};

/* Brings up ums:async, if it does not run yet. Waits. 0 or 8. */
int async_start(void);

/* Makes the call on the calling thread, if it need not wait. True: *result is its result. False: it
 * would have to wait, or has no form that does not. */
bool async_attempt(const struct async_call *call, long *result);
/* The same in two steps, for an ASYNC_READ or ASYNC_WRITE, inline in the function that the program
 * has called. A processor forgets in a system call where the functions return to that it is in. So
 * it predicts the return of each of them wrongly (docs/performance.md says what that costs). */
static inline __attribute__((always_inline)) long async_move(const struct async_call *call,
                                                             long number, const struct iovec *parts,
                                                             uint32_t count, bool wait)
{
    /* The offset is in two registers: the upper half is 0. */
    return RAW6(number, call->fd, parts, count, call->offset, 0,
                call->flags | (wait ? 0 : RWF_NOWAIT));
}
static inline __attribute__((always_inline)) long async_first(const struct async_call *call,
                                                              bool writes)
{
    struct iovec whole = {call->address, call->length};
    return async_move(call, writes ? SYS_pwritev2 : SYS_preadv2, &whole, 1, false);
}
static inline bool async_attempted(long result)
{
    return result != -EAGAIN && result != -EOPNOTSUPP && result != -EINTR;
}

/* Gives the call away; neither waits nor uses the heap. pre: async_start has returned 0. If the
 * call may be cancelled, a lock of the caller's is held in async_submit, in async_cancel, and at
 * the first look at the call in `done`. */
void async_submit(struct async_call *call);

/* Asks that the call be over soon, once for each call, between async_submit and `done`. After it
 * `done` calls async_cancel_seen: when no thread can call async_cancel for it any more, and before
 * the call's memory is used for anything else. */
void async_cancel(struct async_call *call);
void async_cancel_seen(struct async_call *call);

void async_forget(void); /* in a child after fork: all calls are the parent's */

#endif
