/* SPDX-License-Identifier: MIT
 *
 * process_mark.h - a mark that a process has and that every process it makes from then on inherits,
 * whatever becomes of its parents, session, group and environment: so a job's processes are found.
 *
 * The mark is the soft limit RLIMIT_LOCKS, which the kernel keeps and hands on and has not asked
 * about since 2.4. It can be given to another process of the user's at any time, as a job wants it,
 * and read by its number. A process that sets this limit itself, or runs for another user, is lost.
 *
 * Numbers of processes are used again. So a process is first held by a descriptor, and then its
 * mark read by its number: if the descriptor's process is alive after that, the mark was its own,
 * and a signal by the descriptor goes to it or to nobody.
 *
 * Bare system calls only, no heap: for job_keeper.c as well.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MARK_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Two bits of a mark are the giver's to change: marks that differ in these only are the same. */
enum { MARK_BITS = 3 };

uint64_t mark_fresh(void); /* unlike any other, the two bits are 0 */
/* Of the process of a number (0: the caller); 0: it has none, or may not be asked. */
uint64_t mark_of(pid_t pid);
static inline bool mark_same(uint64_t one, uint64_t other)
{
    return (one | MARK_BITS) == (other | MARK_BITS);
}
/* 0 takes it away. 0, or -errno. */
long mark_give(pid_t pid, uint64_t mark);

/* Calls fn for each process with the mark that has not ended, this one included; the descriptor is
 * closed afterwards. False: /proc cannot be read. */
bool mark_each(uint64_t mark, void (*fn)(pid_t pid, int pidfd, void *arg), void *arg);

/* Ends every process with the mark but the caller: those that they make meanwhile, too, for it goes
 * on until it finds none that was not there before, and a process that is being killed makes no
 * more. `end` ends one; NULL: SIGKILL. */
void mark_end_all(uint64_t mark, void (*end)(pid_t pid, int pidfd, void *arg), void *arg);

#endif
