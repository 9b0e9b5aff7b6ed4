/* SPDX-License-Identifier: MIT
 *
 * known_stream.h - the pipes and sockets that a worker uses again and again, and the disk file that
 * it has just read to the end.
 *
 * A worker remembers the numbers of some descriptors that were no disk files, so that it need not
 * ask the kernel before each read and write. A number may belong to a disk file by now.
 *
 *   a socket      is read by recvfrom, which refuses what is no socket: what is remembered cannot
 *                 be wrong unnoticed, whoever has closed the number, and how.
 *   other streams the attempt on a disk file moves less than was asked for, and the kernel is asked
 *                 behind it (call_io.c). Only two threads that share that file's position could
 *                 tell the difference. For them the kernel is asked anew every so often.
 *   the end       of a small disk file: a program reads once more, to be told that this was all.
 *                 That read is made as a stream's, once. The worker forgets the number when it
 *                 closes it or opens another file.
 *
 * The thread that serves the call reads and writes the worker's memory.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/current.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/disk_file.h"

enum { STREAM_ASK_ANEW = 64 };

/* The program's, not a duplicate's that stands in the call while it waits. */
static inline int stream_number(const struct call *call)
{
    return call->in_flight ? call->watch.given_fd : (int)call->args[0];
}

/* Marks an event counter or timer: each read of it gives so many bytes. */
enum { STREAM_COUNTS = 1 << 30, COUNT_BYTES = 8 };

/* Where the worker remembers the call's descriptor: 0, or its number plus one, which is negative
 * for a socket, and has STREAM_COUNTS set for an event counter or timer. */
static inline int *stream_place(struct call *call)
{
    return &call_worker(call)->known.streams[stream_number(call) & 3];
}

static inline bool is_known_stream(struct call *call)
{
    int known = *stream_place(call), number = stream_number(call) + 1;
    return (known == number || known == -number || known == (number | STREAM_COUNTS)) &&
           ++call_worker(call)->known.streams_asked % STREAM_ASK_ANEW;
}

/* True: the kernel need not be asked whether the number is a disk file's by now. A read of one
 * gives eight bytes of more only where a page of the cache ends. */
static inline bool is_known_count(struct call *call, long got)
{
    return got == COUNT_BYTES && *stream_place(call) == ((stream_number(call) + 1) | STREAM_COUNTS);
}

/* The wait for readiness has found out that it is none, and holds it by a duplicate. */
static inline bool is_watched(const struct call *call)
{
    return call->in_flight && call->watch.given_fd != (int)call->args[0];
}

/* Asks the kernel, and remembers a descriptor that is no disk file. */
bool has_disk_place(struct call *call, struct disk_place *place);

/* A read of what was a socket when this worker read it last. One of nothing asks nobody. */
static inline bool is_known_socket(struct call *call)
{
    return call->entry->nr == SYS_read && call->args[2] &&
           *stream_place(call) == -(stream_number(call) + 1);
}
/* The read of such a one. False: it is none any more, or a sandbox knows no recvfrom. */
bool known_socket_receives(struct call *call, enum outcome *outcome);

/* A read of so many bytes is about to be made, at the file's own position. */
void known_end_comes(struct call *call, const struct disk_place *place, long length);
/* The call is the read that finds the end. Forgets it. */
static inline bool known_end_is_read(struct call *call)
{
    struct worker_known *known = &call_worker(call)->known;
    if (known->ended != stream_number(call) + 1 || call->entry->nr != SYS_read || !call->args[2])
        return false;
    known->ended = 0;
    return true;
}
static inline void known_end_forget(struct plat_context *worker)
{
    worker->known.ended = 0;
}

#endif
