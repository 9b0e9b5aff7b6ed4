/* SPDX-License-Identifier: MIT
 *
 * steady_calls.c - see steady_calls.h.
 *
 * What is missing, and why: calls that follow a path or have a file, for a file system that answers
 * by a process or over a network may wait interruptibly later in the same call; ioctl, for each
 * device waits in its own way; close of a socket, whose lingering a signal ends; io_uring_enter.
 * Those are lent (lent_call.h).
 */
#include "platform/linux/traps/steady_calls.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* The device of a mapped file may wait as it likes. */
static bool without_a_file(const unsigned long *arguments)
{
    return arguments[3] & MAP_ANONYMOUS;
}

/* Later advice populates pages, and fails with EINTR. */
static bool plain_advice(const unsigned long *arguments)
{
    return arguments[2] <= MADV_PAGEOUT;
}

bool call_is_steady(long number, const unsigned long *arguments)
{
    switch (number) {
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_pkey_mprotect:
    case SYS_mremap:
    case SYS_brk:
    case SYS_mlock:
    case SYS_mlock2:
    case SYS_munlock:
    case SYS_munlockall:
    case SYS_membarrier:
        return true;
    case SYS_mmap:
        return without_a_file(arguments);
    case SYS_madvise:
        return plain_advice(arguments);
    default:
        return false;
    }
}
