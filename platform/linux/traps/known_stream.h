/* SPDX-License-Identifier: MIT
 *
 * known_stream.h - the pipes and sockets that a worker uses again and again.
 *
 * A worker remembers the numbers of some descriptors that were no disk files, so that it need not
 * ask the kernel before each read and write. A number may belong to a disk file by now. Then the
 * attempt moves less than was asked for, and the kernel is asked behind it (call_io.c). Only two
 * threads that share that file's position could tell the difference. For them the kernel is asked
 * anew every so often.
 *
 * The thread that serves the call reads and writes the worker's memory.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_STREAM_H

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/traps/disk_file.h"

enum { STREAM_ASK_ANEW = 64 };

static inline int *stream_place(struct call *call)
{
    return &call_worker(call)->streams[call->args[0] & 3];
}

static inline bool is_known_stream(struct call *call)
{
    return *stream_place(call) == (int)call->args[0] + 1 &&
           ++call_worker(call)->streams_asked % STREAM_ASK_ANEW;
}

/* Asks the kernel, and remembers a descriptor that is no disk file. */
static inline bool has_disk_place(struct call *call, struct disk_place *place)
{
    bool disk = disk_place_of((int)call->args[0], place);
    *stream_place(call) = disk ? 0 : (int)call->args[0] + 1;
    return disk;
}

#endif
