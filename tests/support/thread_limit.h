/* SPDX-License-Identifier: MIT
 *
 * thread_limit.h - (Linux) a limit on the threads of this process alone.
 *
 * The kernel counts the threads of a user, and does not limit root.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_THREAD_LIMIT_H
#define UMSSHIM_TESTS_SUPPORT_THREAD_LIMIT_H

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

/* Root becomes a user without other processes. Any other user gets a name space with a count of its
 * own; for that the process must have one thread. False: it could not. */
static inline bool count_threads_alone(void)
{
    return (geteuid() != 0 ? unshare(CLONE_NEWUSER) : setuid((uid_t)(0x50000000 + getpid()))) == 0;
}

static inline bool limit_threads(rlim_t most)
{
    return setrlimit(RLIMIT_NPROC, &(struct rlimit){most, most}) == 0;
}

#endif
