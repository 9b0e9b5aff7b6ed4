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
 *   writes   One that finds less room than it needs waits. If the worker waited with its scheduler,
 *            and a worker of that scheduler read the other end, both would wait for ever. So a
 *            helper makes it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_TERMINAL_H

#include <stdbool.h>

/* Poll says that the file is not ready. Whether a read of so many bytes may be over all the same:
 * a helper is to make it. Any thread. */
bool terminal_reads_unready(int fd, long length);
/* Whether a write to this file may wait though poll says that there is room. Any thread. */
bool terminal_writes_late(int fd);

#endif
