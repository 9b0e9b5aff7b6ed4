/* SPDX-License-Identifier: MIT
 *
 * process_mark.h - a mark of a process, which every process that it makes from then on inherits,
 * whatever becomes of parents, session, group and environment. By it a job's processes are found.
 *
 * The mark is the soft limit RLIMIT_LOCKS. The kernel keeps it and passes it on to children, but
 * has not used it since 2.4. A process can give it to another one of the same user at any time, as
 * a job needs, and read it by the process number. A process that sets this limit itself, or runs as
 * another user, is lost.
 *
 * The system uses process numbers again. So the code first opens a descriptor of the process, and
 * then reads the mark by the number. If the descriptor's process is alive after that, the mark was
 * its own, and a signal by the descriptor goes to that process or to none.
 *
 * It makes only bare system calls and uses no heap, so that the keeper of job_keeper.c may call it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MARK_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its giver may change two bits of a mark: marks that differ only in these are the same. */
enum { MARK_BITS = 3 };

uint64_t mark_fresh(void); /* a mark unlike any other, whose two bits are 0 */
/* The mark of the process with this number (0: the caller). Result 0: it has none, or the caller
 * may not ask. */
uint64_t mark_of(pid_t pid);
static inline bool mark_same(uint64_t one, uint64_t other)
{
    return (one | MARK_BITS) == (other | MARK_BITS);
}
/* Gives the process a mark, or takes it away if `mark` is 0. Returns 0, or -errno. */
long mark_give(pid_t pid, uint64_t mark);

/* Calls fn for each process with the mark that has not ended, this one included; the descriptor is
 * closed afterwards. False: /proc cannot be read. */
bool mark_each(uint64_t mark, void (*fn)(pid_t pid, int pidfd, void *arg), void *arg);

/* Ends every process with the mark but the caller: those that they make meanwhile, too. It goes on
 * until a pass finds no new one, and a process that is being killed makes no more. `end` ends a
 * process; NULL: SIGKILL does. */
void mark_end_all(uint64_t mark, void (*end)(pid_t pid, int pidfd, void *arg), void *arg);

#endif
