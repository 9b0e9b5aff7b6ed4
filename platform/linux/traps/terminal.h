/* SPDX-License-Identifier: MIT
 *
 * terminal.h - reads and writes of terminals, of which poll does not tell the whole.
 *
 * A terminal cannot be asked to not wait (RWF_NOWAIT). Poll tells that there is something to read,
 * or room for a byte.
 *
 *   reads    The terminal's settings decide when a read is over: without a byte (VMIN is 0, by
 *            VTIME or at once), or when the program's buffer is full, though VMIN asks for more.
 *            Poll then says that the terminal is not ready.
 *   writes   Hardly one finds less room than it needs. So the worker makes it at once, and the
 *            lane's timer ends its wait as it ends an open's (open_call.h). Else the worker would
 *            wait with its scheduler, for ever if a worker of that scheduler read the other end.
 *            The bytes that have moved by then stay moved, and a helper writes the rest.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H

#include <stdbool.h>

#include "platform/linux/calls/call_ops.h"

/* Poll says that the file is not ready. Whether a read of so many bytes may be over all the same:
 * a helper is to make it. Any thread. */
bool terminal_reads_unready(int fd, long length);
/* Any thread. */
bool is_terminal(int fd);
/* The call is a write of so many bytes that has moved nothing yet, to a terminal that has room for
 * one. */
enum outcome terminal_write(struct call *call, long length);

#endif
