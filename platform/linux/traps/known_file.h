/* SPDX-License-Identifier: MIT
 *
 * known_file.h - the small disk file that a worker reads, known by its path.
 *
 * A server reads the same files again and again. Before each read the worker would have to ask the
 * kernel what kind of file the descriptor has, and whether the file is in memory. But the worker
 * opened the file itself and knows the path. If the file of this path was in memory as a whole
 * within the last second (disk_seen.h), the worker makes the read at once, as the program gave it.
 * It does so until a read gives less than the program asked for.
 *
 * This is a guess. If it is wrong:
 *   another file has the path, or   the worker waits for the disk and keeps its scheduler, as with
 *   the pages have left memory      every wrong guess of disk_seen.h
 *   the number is a pipe's by now,  the read waits, but a signal ends such a wait. The lane's timer
 *   a socket's or a terminal's      ends it as it ends an open (open_call.h). The read has moved
 *                                   nothing: the worker makes it as any other, and forgets the path
 *
 * The worker forgets the number when it closes it, puts another file on it, or opens another file.
 * Only the worker itself calls these functions.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_FILE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_FILE_H

#include <stdbool.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/current.h"
#include "platform/linux/plat_types.h"

struct disk_place;

/* The call has opened a file. The path is read from the program's memory: the kernel has just read
 * it there. */
void known_file_opened(struct call *call);
static inline bool is_known_file(struct call *call)
{
    return call_worker(call)->known.file.number == (int)call->args[0] + 1 && !call->in_flight &&
           call->entry->nr == SYS_read;
}
/* Makes a read of a known file if it was in memory lately. True: call->result has the result. */
bool known_file_read(struct call *call);
/* The worker has looked at the file before the read, and `place` says what it found. */
void known_file_asked(struct call *call, const struct disk_place *place);

static inline void known_file_forget(struct plat_context *worker)
{
    worker->known.file.number = 0;
}
static inline void known_files_closed(struct plat_context *worker, unsigned first, unsigned last)
{
    unsigned number = (unsigned)worker->known.file.number - 1;
    if (number >= first && number <= last)
        known_file_forget(worker);
}

#endif
