/* SPDX-License-Identifier: MIT
 *
 * known_stream.h - the pipes and sockets that a worker uses again and again, and the disk file that
 * the worker has just read to the end.
 *
 * A worker remembers the numbers of some descriptors that were no disk files. So it need not ask
 * the kernel before each read and write. But the number may belong to a disk file by now.
 *
 *   a socket      The worker reads it by recvfrom, which refuses every other file. So a wrong
 *                 number is always noticed.
 *   other streams If the number is a disk file's by now, the attempt moves fewer bytes than the
 *                 call asks for. Then the worker asks the kernel (call_io.c). Only two threads that
 *                 share that file's position could tell the difference. For them the worker asks
 *                 the kernel anew after STREAM_ASK_ANEW calls.
 *   the end       of a small disk file: a program reads once more, to learn that this was all. The
 *                 worker makes that one read as a stream's. The worker forgets the number when it
 *                 closes the number or opens another file.
 *
 * Only the thread that serves the worker's call reads and writes what the worker remembers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/current.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/disk_file.h"

enum { STREAM_ASK_ANEW = 64 };

/* The program's number. While the call waits, its argument is a duplicate's number. */
static inline int stream_number(const struct call *call)
{
    return call->in_flight ? call->watch.given_fd : (int)call->args[0];
}

/* STREAM_COUNTS marks an event counter or timer. Each read of such a file gives COUNT_BYTES. */
enum { STREAM_COUNTS = 1 << 30, COUNT_BYTES = 8 };

/* Where the worker remembers the call's descriptor: 0, or a number plus one. The value is negative
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

/* True: the kernel need not be asked whether the number is a disk file's by now. For the read has
 * given eight bytes, as an event counter does. A disk file that has more gives so few only where a
 * page of the cache ends. */
static inline bool is_known_count(struct call *call, long got)
{
    return got == COUNT_BYTES && *stream_place(call) == ((stream_number(call) + 1) | STREAM_COUNTS);
}

/* The wait for readiness has found that the file is no disk file, and holds the file by a
 * duplicate. */
static inline bool is_watched(const struct call *call)
{
    return call->in_flight && call->watch.given_fd != (int)call->args[0];
}

/* Asks the kernel whether the call's file is a disk file. The worker remembers a descriptor that is
 * none. */
bool has_disk_place(struct call *call, struct disk_place *place);

/* Whether the call reads a number that was a socket's when this worker read it last. A read of no
 * bytes is left to the kernel. */
static inline bool is_known_socket(struct call *call)
{
    return call->entry->nr == SYS_read && call->args[2] &&
           *stream_place(call) == -(stream_number(call) + 1);
}
/* Reads from such a socket. False: the number is no socket's any more, or a sandbox refuses
 * recvfrom. */
bool known_socket_receives(struct call *call, enum outcome *outcome);

/* The worker has read all of a small file, or is about to. The next read finds the end. */
static inline void known_end_comes(struct call *call)
{
    call_worker(call)->known.ended = stream_number(call) + 1;
}
/* Whether the call is the read that finds the end. The worker then forgets the number. */
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
