/* SPDX-License-Identifier: MIT
 *
 * caps.h - what this machine and this process allow.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CAPS_H
#define UMSSHIM_PLATFORM_LINUX_OS_CAPS_H

#include <stdbool.h>

/* What this machine and this process allow; probed once, printed with UMSSHIM_LOG=caps. */
struct engine_caps {
    bool detect;               /* blocking system calls are to be detected */
    bool may_listen, may_trap; /* by notifications, by traps */
    bool trapped;      /* carriers have a filter that traps: calls come to the handler of SIGSYS
                   * (libc/trap.c) */
    bool fault_stacks; /* while a worker runs, the kernel has our alternate stack, not its own */
    bool guards;       /* thread pointers have to be guarded, so traps are tried first
                  * (thread_pointer.h) */
    bool ring;         /* io_uring may be used */
    bool ring_waitid;
    bool ring_futex;
    bool front;       /* libc wrappers try in user mode first */
    bool sites;       /* call sites within libc are rewritten */
    bool sync_wakeup; /* a listener wakes up on its waker's processor */
    bool emulated;    /* valgrind makes the system calls */
    bool sandboxed;   /* threads have a filter of the program's, which a ring would evade */
};

extern struct engine_caps engine_caps;

/* Fills in engine_caps; false: UMS cannot be had here. */
bool caps_probe(void);
/* UMSSHIM_LOG=caps is set: found capabilities are to be logged. */
bool caps_wanted(void);
/* Logs for UMSSHIM_LOG=caps, once, with the first lane: how its calls are detected, and whether it
 * has a ring. */
void caps_found(const char *seen, bool ring);

#endif
