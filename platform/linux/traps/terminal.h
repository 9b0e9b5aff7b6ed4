/* SPDX-License-Identifier: MIT
 *
 * terminal.h - reads and writes of terminals and devices, of which poll does not tell the whole.
 *
 * These files cannot be asked to not wait (RWF_NOWAIT). Of a terminal poll tells that there is
 * something to read, or room for a byte.
 *
 *   reads    The terminal's settings decide when a read is over: without a byte (VMIN is 0, by
 *            VTIME or at once), or when the program's buffer is full, though VMIN asks for more.
 *            Poll then says that the terminal is not ready.
 *   jobs     A thread of a background job that reads stops its job by SIGTTIN. To the kernel a
 *            thread that blocks the signal asks for EIO, and each of the engine's does. So a helper
 *            makes such a read, sends the signal that its worker has open, and waits until the job
 *            was continued, or the worker is to run a handler.
 *   writes   Hardly one finds less room than it needs. So the worker makes it at once, and the
 *            lane's timer ends its wait as it ends an open's (open_call.h). Else the worker would
 *            wait with its scheduler, for ever if a worker of that scheduler read the other end.
 *            The bytes that have moved by then stay moved, and a helper writes the rest.
 *
 * Of other files poll may never tell:
 *
 *   reads    A performance counter (perf_event_open) is readable at any time. With a mapped buffer
 *            poll tells of that buffer only, and each poll takes what it tells.
 *   writes   fanotify and /dev/kmsg take a write at any time, and poll never tells of room. So a
 *            worker waits for room in files of which poll is known to tell. A helper makes other
 *            writes that find none.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H

#include <stdbool.h>

#include "platform/linux/calls/call_ops.h"

/* Whether a read of so many bytes may be over though poll says that the file is not ready, or has
 * to tell its job: a helper is to make it. To be asked before poll. Any thread. */
bool device_reads_unready(int fd, long length);
/* A read that waits, on a helper: of a terminal for the calling job, or of any other file. */
long terminal_block_read(struct call *call);
/* Any thread. */
bool is_terminal(int fd);
/* Whether poll tells when the file has room: a terminal, a pipe, a socket. Any thread. */
bool tells_room(int fd);
/* The call is a write of so many bytes to a terminal and has moved nothing yet. `room`: poll tells
 * of room. */
enum outcome terminal_write(struct call *call, long length, bool room);

#endif
